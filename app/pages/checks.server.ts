/** The checks before publishing, one sentence each. */
import type { CheckedKind } from '~/forms/checks.ts'
import { languageName } from '~/lib/caption-languages.ts'
import { cutText } from '~/lib/text.ts'
import { listProblems, type Problem } from '~/services/checks/checks.server.ts'
import type { Ctx } from '~/services/context.ts'

/** Lists what is worth a look before this item is published. */
export async function problemsInWords(ctx: Ctx, item: { kind: CheckedKind; uid: string }): Promise<string[]> {
  return (await listProblems(ctx, item)).map((problem) => sentenceOf(problem, item.kind))
}

const shownLinks = 5

function sentenceOf(problem: Problem, kind: CheckedKind): string {
  switch (problem.code) {
    case 'no_plan':
      return 'No group has access, so no learner will see it.'
    case 'no_cover_description':
      return 'The cover image has no description, so people who cannot see it miss it.'
    case 'no_modules':
      return 'It has no modules.'
    case 'empty_parts':
      return `${problem.count === 1 ? '1 part of it has' : `${problem.count} parts of it have`} no modules: ${names(problem)}.`
    case 'closed_pictures': {
      const [what, again] = problem.count === 1 ? ['A picture', 'it'] : [`${problem.count} pictures`, 'them']
      return `${what} in the text can be seen by staff only. Please insert ${again} again.`
    }
    case 'private_film':
      return 'The film’s address is on a private network, so learners cannot reach it.'
    case 'not_a_film':
      return 'The film’s address does not end in .mp4 or .webm. If it is a web page, learners see no film.'
    case 'namesakes': {
      const { count } = problem
      const others = count === 1 ? `Another ${kind} has` : `${count} other ${kind}s have`
      const byName = kind === 'module' ? ' A link by name opens the one that was published last.' : ''
      return `${others} the same name, so learners cannot tell them apart.${byName}`
    }
    case 'skipped_heading':
      return `The heading “${cutText(problem.heading, 80)}” skips a level. Screen readers follow the levels.`
    case 'no_captions':
      return missingCaptions(problem, kind)
    case 'dead_links': {
      const { urls } = problem
      const some = urls.slice(0, shownLinks).map((url) => cutText(url, 200))
      const more = urls.length > some.length ? ` and ${urls.length - some.length} more` : ''
      return `${urls.length === 1 ? 'A link leads' : `${urls.length} links lead`} nowhere: ${some.join(', ')}${more}.`
    }
    case 'draft_modules':
      return `${modules(problem)} ${problem.count === 1 ? 'is a draft' : 'are drafts'}, which learners do not see: ${names(problem)}.`
    case 'announced_modules':
      return `${modules(problem)} ${problem.count === 1 ? 'is' : 'are'} only announced (Coming Soon), and cannot be opened yet: ${names(problem)}.`
    case 'modules_without_package':
      return `${modules(problem)} ${problem.count === 1 ? 'has' : 'have'} no package that learners could open: ${names(problem)}.`
    case 'closed_modules':
      return `${modules(problem)} cannot be opened by every group that can open the course: ${names(problem)}.`
    case 'modules_of_nobody':
      return `${modules(problem)} cannot be opened by any group that can open the course: ${names(problem)}.`
    case 'courses_of_others':
      return `It is part of ${problem.count === 1 ? 'a course' : `${problem.count} courses`} with which it shares no group: ${names(problem)}.`
  }
}

function modules({ count }: { count: number }): string {
  return count === 1 ? '1 module' : `${count} modules`
}

function names({ names, count }: { names: string[]; count: number }): string {
  const quoted = names.map((name) => `“${name}”`).join(', ')
  return count > names.length ? `${quoted} and ${count - names.length} more` : quoted
}

/** Says whom a film without captions leaves out. */
function missingCaptions(
  { isAtVimeo, language }: Extract<Problem, { code: 'no_captions' }>,
  kind: CheckedKind,
): string {
  const leftOut = 'people who are deaf or hard of hearing, and everybody who watches without sound'
  if (isAtVimeo) return `This ${kind} has no captions here. If it has none at Vimeo either, it leaves out ${leftOut}.`
  if (language === null) return `This ${kind} has no captions and no transcript. It leaves out ${leftOut}.`
  const transcript = `a transcript (${languageName(language)})`
  return `This ${kind} has no captions, only ${transcript} beside it. It is hard to follow for ${leftOut}.`
}
