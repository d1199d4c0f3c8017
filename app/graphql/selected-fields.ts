import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql'

/**
 * The names of the fields that an operation selects below the field that is being resolved, along a path:
 * `selectedFields(info, 'edges', 'node')`. Follows fragments. Includes fields that @skip or @include leave out, so use
 * it only to read ahead.
 */
export function selectedFields(info: GraphQLResolveInfo, ...path: string[]): Set<string> {
  let level = fieldsOf(info, selectionsOf(info.fieldNodes))
  for (const name of path) level = fieldsOf(info, selectionsOf(level.filter((field) => field.name.value === name)))
  return new Set(level.map(({ name }) => name.value))
}

type Field = { name: { value: string }; selectionSet?: SelectionSetNode }

function selectionsOf(fields: readonly Field[]): SelectionSetNode[] {
  return fields.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []))
}

function fieldsOf(info: GraphQLResolveInfo, selections: readonly SelectionSetNode[]): Field[] {
  return selections.flatMap(({ selections }) =>
    selections.flatMap((selection): Field[] => {
      if (selection.kind === 'Field') return [selection]
      if (selection.kind === 'InlineFragment') return fieldsOf(info, [selection.selectionSet])
      const fragment = info.fragments[selection.name.value]
      return fragment ? fieldsOf(info, [fragment.selectionSet]) : []
    }),
  )
}
