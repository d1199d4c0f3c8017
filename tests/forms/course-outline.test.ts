import { describe, expect, test } from 'vitest'
import { applyBuild, modulesOf, type Outline, partField, readOutline, writeOutline } from '~/forms/course-outline.ts'

const uid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`

const outline: Outline = [
  {
    uid: uid(1),
    name: 'One',
    description: '',
    chapters: [
      { uid: uid(2), name: 'A', description: 'First', moduleUids: [uid(5), uid(6)] },
      { uid: uid(3), name: 'B', description: '', moduleUids: [] },
    ],
  },
  { uid: uid(4), name: 'Two', description: 'Second', chapters: [] },
]

/** The outline as its form sends it. */
function formOf(sent: Outline): FormData {
  const form = new FormData()
  form.set('outline', writeOutline(sent))
  for (const part of sent.flatMap((section) => [section, ...section.chapters])) {
    form.set(partField(part.uid, 'name'), part.name)
    form.set(partField(part.uid, 'description'), part.description)
  }
  return form
}

const namesOf = (list: Outline) => list.map(({ name, chapters }) => [name, ...chapters.map((chapter) => chapter.name)])

test('an outline is read as it was written', () => {
  expect(readOutline(formOf(outline))).toEqual(outline)
})

test('a course without sections is not the same as a form without an outline', () => {
  const form = new FormData()
  expect(readOutline(form)).toBeNull()
  form.set('outline', '')
  expect(readOutline(form)).toEqual([])
})

test.each([
  ['nonsense', 'x'],
  ['a uid that is none', `s${uid(1)} cdrop`],
  ['a module without a chapter', `s${uid(1)} m${uid(5)}`],
  ['a chapter without a section', `c${uid(2)}`],
  ['a part twice', `s${uid(1)} c${uid(2)} c${uid(2)}`],
  [
    'more than any course may have',
    Array.from({ length: 451 }, (_, at) => `s${uid(1).slice(0, -3)}${100 + at}`).join(' '),
  ],
])('an outline with %s cannot be read', (_, text) => {
  const form = new FormData()
  form.set('outline', text)
  expect(readOutline(form)).toBeNull()
})
describe('steps', () => {
  test('add sections, chapters, and modules that the course does not have', () => {
    const more = applyBuild(outline, { kind: 'add-section', uid: uid(7) })
    expect(more.at(-1)).toEqual({ uid: uid(7), name: '', description: '', chapters: [] })
    const withChapter = applyBuild(more, { kind: 'add-chapter', uid: uid(8), section: uid(7) })
    const step = { kind: 'add-modules', chapter: uid(8), moduleUids: [uid(5), uid(9), uid(9)] } as const
    expect(modulesOf(applyBuild(withChapter, step))).toEqual([uid(5), uid(6), uid(9)])
  })

  test('move sections past each other, and stop at the ends', () => {
    expect(namesOf(applyBuild(outline, { kind: 'down', uid: uid(1) }))).toEqual([['Two'], ['One', 'A', 'B']])
    expect(applyBuild(outline, { kind: 'up', uid: uid(1) })).toEqual(outline)
  })

  test('move chapters within a section and into the next one', () => {
    expect(namesOf(applyBuild(outline, { kind: 'up', uid: uid(3) }))).toEqual([['One', 'B', 'A'], ['Two']])
    const across = applyBuild(outline, { kind: 'down', uid: uid(3) })
    expect(namesOf(across)).toEqual([
      ['One', 'A'],
      ['Two', 'B'],
    ])
    expect(namesOf(applyBuild(across, { kind: 'up', uid: uid(3) }))).toEqual([['One', 'A', 'B'], ['Two']])
  })

  test('move modules between chapters, also of different sections', () => {
    const next = applyBuild(outline, { kind: 'down', uid: uid(6) })
    expect(next[0]?.chapters.map(({ moduleUids }) => moduleUids)).toEqual([[uid(5)], [uid(6)]])
    const three = applyBuild(next, { kind: 'add-chapter', uid: uid(8), section: uid(4) })
    const far = applyBuild(three, { kind: 'down', uid: uid(6) })
    expect(far[1]?.chapters[0]?.moduleUids).toEqual([uid(6)])
    expect(applyBuild(far, { kind: 'down', uid: uid(6) })).toEqual(far)
  })

  test('remove a part with everything inside, and ignore unknown parts', () => {
    expect(namesOf(applyBuild(outline, { kind: 'remove', uid: uid(1) }))).toEqual([['Two']])
    expect(namesOf(applyBuild(outline, { kind: 'remove', uid: uid(2) }))).toEqual([['One', 'B'], ['Two']])
    expect(modulesOf(applyBuild(outline, { kind: 'remove', uid: uid(5) }))).toEqual([uid(6)])
    for (const kind of ['remove', 'up', 'down'] as const) {
      expect(applyBuild(outline, { kind, uid: uid(9) })).toEqual(outline)
    }
  })
})
