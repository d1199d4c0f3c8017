/** Executes operations. Queries are compiled to JavaScript first, which takes a third of the time off a long list. */
import {
  BREAK,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { writingQueries } from './bearer.ts'

/** A compiled query needs about 8 KB and 25 µs for each field, so these limit the work and the memory. */
const mostFields = 200
const mostKept = 50
/** Null for a document that is not compiled. The one that was used last stands last. */
const compiledQueries = new Map<DocumentNode, CompiledQuery | null>()

/**
 * Runs one operation. `graphql` itself runs mutations, and the few queries that are not compiled. Compiled queries do
 * not call functions that stand where a value is expected, and do not wait for promises there: such a field needs a
 * resolver.
 */
export function executeOperation(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
  const compiled = compiledQuery(args)
  if (!compiled) return execute(args)
  const finish = (result: ExecutionResult) => {
    if (!result.errors) return result
    // Nothing has run if no error has a path: the variables were refused, and graphql says more clearly which.
    return result.errors.some(({ path }) => path) ? withErrorsOfGraphql(result, args.document) : execute(args)
  }
  const result = compiled.query(args.rootValue, args.contextValue, args.variableValues) as ReturnType<typeof execute>
  return result instanceof Promise ? result.then(finish) : finish(result)
}

function compiledQuery({ schema, document }: ExecutionArgs): CompiledQuery | null {
  let compiled = compiledQueries.get(document)
  if (compiled === undefined) {
    const result = canCompile(document) ? compileQuery(schema, document) : null
    compiled = result && isCompiledQuery(result) ? result : null
  }
  compiledQueries.delete(document)
  compiledQueries.set(document, compiled)
  const [oldest] = compiledQueries.keys()
  if (compiledQueries.size > mostKept && oldest) compiledQueries.delete(oldest)
  return compiled
}

/**
 * True for a document with one query that only reads and has few fields once its fragments are inserted. Not for
 * directives: graphql-jit says itself that it does not yet handle all of @skip and @include in fragments.
 */
function canCompile(document: DocumentNode): boolean {
  const [operation, ...others] = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  if (operation?.kind !== Kind.OPERATION_DEFINITION || operation.operation !== 'query' || others.length > 0)
    return false
  return !hasDirectiveOrWrites(document) && countFields(document, operation.selectionSet) <= mostFields
}

function hasDirectiveOrWrites(document: DocumentNode): boolean {
  let found = false
  const stop = () => {
    found = true
    return BREAK
  }
  visit(document, { Directive: stop, Field: ({ name }) => (writingQueries.has(name.value) ? stop() : undefined) })
  return found
}

/** Counts a fragment wherever it is used. Only for valid documents, whose fragments do not contain themselves. */
function countFields(document: DocumentNode, selected: SelectionSetNode, known = new Map<string, number>()): number {
  let count = 0
  for (const selection of selected.selections) {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const name = selection.name.value
      if (!known.has(name)) known.set(name, countFields(document, fragmentOf(document, name), known))
      count += known.get(name) ?? 0
      continue
    }
    if (selection.kind === Kind.FIELD) count++
    if (selection.selectionSet) count += countFields(document, selection.selectionSet, known)
  }
  return count
}

function fragmentOf(document: DocumentNode, name: string): SelectionSetNode {
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name) return definition.selectionSet
  }
  throw new Error(`There is no fragment ${name}.`)
}

/** Replaces the errors of a compiled query, which are of a class of their own, by those that `execute` returns. */
function withErrorsOfGraphql(result: ExecutionResult, { loc }: DocumentNode): ExecutionResult {
  const lines = loc?.source.body.split('\n') ?? []
  const startOf = (line: number) => lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
  const errors = result.errors?.map(
    ({ message, path, originalError, locations = [] }) =>
      new GraphQLError(message, {
        source: loc?.source,
        positions: locations.map(({ line, column }) => startOf(line) + column - 1),
        path,
        // An error at a field that no resolver threw is a fault of ours, such as a missing value.
        originalError: originalError ?? (path && new Error(message)),
      }),
  )
  return { ...result, errors }
}
