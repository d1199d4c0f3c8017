/** The table of lectures without its actions and with boxes, as a list to choose from. */
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { PlainTable } from '~/components/console/grid/plain-table.tsx'
import { lecturesTable } from '~/forms/film-tables.ts'
import { readTableQuery } from '~/lib/table-query.ts'

const selection = { selected: new Set<string>(), onChange: () => {}, max: 10, action: '/', actions: null }

function render(options: { actions?: () => JSX.Element; selection?: typeof selection }): string {
  return renderToStaticMarkup(
    <PlainTable
      table={lecturesTable}
      label="Lectures"
      sortAddress={() => '/'}
      query={readTableQuery(new URLSearchParams(), lecturesTable)}
      rows={[{ uid: 'one', name: 'Reading plates' }]}
      columns={[{ id: 'title', header: 'Name', value: ({ name }) => name, isLead: true, width: 200 }]}
      rowId={({ uid }) => uid}
      rowName={({ name }) => name}
      {...options}
    />,
  )
}

test('A-077 the actions can be off and the boxes on, and the other way round', () => {
  const [boxes, actions] = [/<input[^>]*type="checkbox"/, /Edit this lecture/]
  const chosen = render({ selection })
  expect(chosen).toMatch(boxes)
  expect(chosen).not.toContain('Actions')
  const managed = render({ actions: () => <button type="button">Edit this lecture</button> })
  expect(managed).toMatch(actions)
  expect(managed).not.toMatch(boxes)
})
