import { chooseText } from '~/lib/language.ts'
import type { UnitRules } from '~/services/modules/overrides.server.ts'

/** A unit's rules as the console shows them, with its title in the language of the request. */
export function unitRulesView(request: Request, { title, index, ...unit }: UnitRules) {
  const language = request.headers.get('Accept-Language') ?? 'en'
  const { uid, launchMethod, inPackage, override } = unit
  return { uid, launchMethod, inPackage, override, title: chooseText(title, language) || `Unit ${index + 1}` }
}
