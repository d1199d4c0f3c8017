/**
 * Computes the cost of an operation before anything runs: one for each field, times the items of the lists around it.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValidationContext,
  type ValueNode,
} from 'graphql'

type Variables = Readonly<Record<string, unknown>> | null | undefined

/** The most items that a page of a connection has. */
const wholePage = 100
/** A list without pages, such as the tags of a module, is short, unless it is one of `longLists`. */
const shortList = 3
/** The expected length of lists without pages that can be long. */
export const longLists: Readonly<Record<string, number>> = {
  'Section.chapters': 10,
  'Chapter.defaultModules': wholePage,
  'Module.versions': 10,
  'ModuleVersion.units': wholePage,
  'Query.coursesWithModule': wholePage,
  'User.modulesProgress': wholePage,
  'User.coursesProgress': wholePage,
  'UserProgress.modulesProgress': wholePage,
  'UserProgress.coursesProgress': wholePage,
  'UserProgress.lecturesProgress': wholePage,
  'UserAssignment.modules': wholePage,
  'UserAssignment.courses': wholePage,
  'TagsPayload.tags': wholePage,
  'CourseCatalogPayload.items': wholePage,
}

/** The most that introspection may cost. The query of GraphQL's tools (`getIntrospectionQuery`) costs about 90,000. */
const maxIntrospectionCost = 150_000

/**
 * Refuses operations that cost more than `maxCost`, whether `first` is a literal or a variable. Introspection has a budget
 * of its own.
 */
export function costRule(maxCost: number, variables?: Variables) {
  return (context: ValidationContext) => ({
    OperationDefinition(operation: OperationDefinitionNode) {
      const introspection = introspectionCost(context, operation)
      if (introspection > maxIntrospectionCost) {
        context.reportError(
          new GraphQLError('This asks for too much of the schema. Ask for less of it at once.', { nodes: operation }),
        )
      }
      const cost = costOf(context, operation, variables)
      if (cost <= maxCost) return
      context.reportError(
        new GraphQLError(
          `This operation asks for too much: its cost is ${cost}, and at most ${maxCost} is allowed. Ask for fewer items ("first") or fewer fields.`,
          { nodes: operation },
        ),
      )
    },
  })
}

function costOf(context: ValidationContext, operation: OperationDefinitionNode, variables: Variables): number {
  const root = context.getSchema().getRootType(operation.operation)
  const given = { ...defaultsOf(operation), ...variables }
  return root ? costOfSelection(counterOf(context, 'data', given), operation.selectionSet, root) : 0
}

/** Counts fragments and aliases as often as they expand. */
function introspectionCost(context: ValidationContext, operation: OperationDefinitionNode): number {
  const root = context.getSchema().getRootType(operation.operation)
  return root ? costOfSelection(counterOf(context, 'schema', {}), operation.selectionSet, root) : 0
}

function counterOf(context: ValidationContext, counts: Counter['counts'], given: Record<string, unknown>): Counter {
  const fragment = (name: string) => context.getFragment(name) ?? null
  return { schema: context.getSchema(), counts, given, fragment, known: new Map() }
}

type Counter = {
  schema: GraphQLSchema
  /** What is counted: fields of the data, or those of introspection. */
  counts: 'data' | 'schema'
  given: Record<string, unknown>
  fragment: (name: string) => FragmentDefinitionNode | null
  /**
   * Cost by fragment name; 0 while the fragment is being counted, since another rule refuses a fragment that contains
   * itself.
   */
  known: Map<string, number>
}

function costOfSelection(counter: Counter, { selections }: SelectionSetNode, type: GraphQLOutputType): number {
  let cost = 0
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) cost += costOfField(counter, selection, type)
    else if (selection.kind === Kind.INLINE_FRAGMENT) {
      const narrowed = selection.typeCondition && counter.schema.getType(selection.typeCondition.name.value)
      cost += costOfSelection(counter, selection.selectionSet, isCompositeType(narrowed) ? narrowed : type)
    } else cost += costOfFragment(counter, selection.name.value)
  }
  return cost
}

function costOfFragment(counter: Counter, name: string): number {
  const known = counter.known.get(name)
  if (known !== undefined) return known
  counter.known.set(name, 0)
  const fragment = counter.fragment(name)
  const type = fragment && counter.schema.getType(fragment.typeCondition.name.value)
  const cost = fragment && isCompositeType(type) ? costOfSelection(counter, fragment.selectionSet, type) : 0
  counter.known.set(name, cost)
  return cost
}

function costOfField(counter: Counter, node: FieldNode, parent: GraphQLOutputType): number {
  const { counts } = counter
  const meta = metaFields[node.name.value]
  if (meta && node.selectionSet) return counts === 'schema' ? 1 + costOfSelection(counter, node.selectionSet, meta) : 0
  if (node.name.value.startsWith('__')) return 0
  const owner = getNamedType(parent)
  if (isIntrospectionType(owner) && isObjectType(owner)) return costOfSchemaField(counter, node, owner)
  if (counts === 'schema') {
    const type = isObjectType(owner) || isInterfaceType(owner) ? owner.getFields()[node.name.value]?.type : undefined
    return node.selectionSet && type ? costOfSelection(counter, node.selectionSet, type) : 0
  }
  const field = isObjectType(owner) || isInterfaceType(owner) ? owner.getFields()[node.name.value] : undefined
  if (!node.selectionSet || !field) return 1
  const items = itemsOf(counter, node, field, longLists[`${owner.name}.${field.name}`] ?? shortList)
  return 1 + items * costOfSelection(counter, node.selectionSet, field.type)
}

const metaFields: Readonly<Record<string, GraphQLOutputType>> = {
  __schema: SchemaMetaFieldDef.type,
  __type: TypeMetaFieldDef.type,
}

/** The expected length of lists in the schema. */
const schemaLists: Readonly<Record<string, number>> = { '__Type.fields': 8, '__Type.inputFields': 5 }

function costOfSchemaField(counter: Counter, node: FieldNode, owner: GraphQLObjectType): number {
  const field = owner.getFields()[node.name.value]
  if (!node.selectionSet || !field) return 1
  const type = isNonNullType(field.type) ? field.type.ofType : field.type
  const name = `${owner.name}.${field.name}`
  const items =
    name === '__Schema.types'
      ? Object.keys(counter.schema.getTypeMap()).length
      : isListType(type)
        ? (schemaLists[name] ?? 1)
        : 1
  return 1 + items * costOfSelection(counter, node.selectionSet, field.type)
}

function itemsOf(
  { given }: Counter,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  withoutPages: number,
): number {
  const pageArgument = field.args.find(({ name }) => name === 'first')
  if (pageArgument) {
    const first = node.arguments?.find(({ name }) => name.value === 'first')?.value
    const sent = first?.kind === Kind.VARIABLE ? given[first.name.value] : first && sizeOf(first)
    // The default of the schema is for an argument that was not sent. Services answer null with a whole page.
    const asked = sent === undefined ? pageArgument.defaultValue : sent
    return typeof asked === 'number' ? Math.max(1, asked) : wholePage
  }
  const isPage = getNamedType(field.type).name.endsWith('Edge')
  const type = isNonNullType(field.type) ? field.type.ofType : field.type
  // The edges of a connection were counted at the connection itself.
  return isListType(type) && !isPage ? withoutPages : 1
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, sizeOf(defaultValue)]] : [],
    ),
  )
}

/** The size that a literal names; null for any other value. */
function sizeOf(literal: ValueNode): number | null {
  return literal.kind === Kind.INT ? Number(literal.value) : null
}
