import { readdirSync, readFileSync } from 'node:fs'
import { Kind, parse, print } from 'graphql'
import { missingFiles } from './missing.ts'

const folder = 'tests/graphql/contract'

/** Each operation of the contract as a separate document, with the fragments of its file that it uses. */
export function operations() {
  return readdirSync(folder)
    .filter((file) => !missingFiles.has(file))
    .flatMap((file) => {
      const { definitions } = parse(readFileSync(`${folder}/${file}`, 'utf8'))
      const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      return definitions.flatMap((definition) => {
        if (definition.kind !== Kind.OPERATION_DEFINITION) return []
        const used = new Set<string>()
        const visit = (text: string) => {
          for (const [, name = ''] of text.matchAll(/\.\.\.\s*(?!on\b)(\w+)/g)) {
            if (used.has(name)) continue
            used.add(name)
            const fragment = fragments.find((candidate) => candidate.name.value === name)
            if (fragment) visit(print(fragment))
          }
        }
        visit(print(definition))
        const document = {
          kind: Kind.DOCUMENT,
          definitions: [definition, ...fragments.filter((f) => used.has(f.name.value))],
        } as const
        return [{ name: definition.name?.value ?? '', file, document }]
      })
    })
}
