/**
 * Reads the functions of app/services from their source: the functions that they call, whether they write, and who
 * imports them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

export type ServiceFunction = {
  /** `modules/createModule`: the domain and the name. */
  id: string
  domain: string
  file: string
  text: string
  /** Functions of the same domain that it calls. */
  calls: ServiceFunction[]
  /** True if another domain, a transport, a seed or a command uses it. */
  isPublic: boolean
}

type Source = {
  file: string
  /** Local name to file and exported name. */
  imports: Map<string, { file: string; name: string }>
  reExports: Map<string, { file: string; name: string }>
  functions: Map<string, ServiceFunction & { called: Set<string> }>
}

const roots = ['app', 'server', 'db', 'seed']

/** All functions at the top level of app/services. */
export function readServiceFunctions(): ServiceFunction[] {
  const sources = new Map(roots.flatMap(filesUnder).map((file) => [file, readSource(file)]))
  const find = (file: string, name: string): ServiceFunction | undefined => {
    const source = sources.get(file)
    const again = source?.reExports.get(name)
    return again ? find(again.file, again.name) : source?.functions.get(name)
  }
  const all: ServiceFunction[] = []
  for (const { file, imports, reExports, functions } of sources.values()) {
    for (const target of [...imports.values(), ...(domainOf(file) ? [] : reExports.values())]) {
      const imported = find(target.file, target.name)
      if (imported && imported.domain !== domainOf(file)) imported.isPublic = true
    }
    for (const one of functions.values()) {
      if (one.domain === '') continue
      for (const name of one.called) {
        const target = imports.get(name)
        const callee = target ? find(target.file, target.name) : functions.get(name)
        if (callee && callee.domain === one.domain && callee !== one) one.calls.push(callee)
      }
      all.push(one)
    }
  }
  return all
}

/**
 * True if `isSo` holds for the function, or for a function of its domain that it calls, directly or indirectly. The
 * search does not look into functions for which `upTo` holds.
 */
export function holdsFor(
  one: ServiceFunction,
  isSo: (one: ServiceFunction) => boolean,
  { upTo = () => false }: { upTo?: (one: ServiceFunction) => boolean } = {},
): boolean {
  const seen = new Set<ServiceFunction>()
  const look = (at: ServiceFunction): boolean => {
    if (seen.has(at) || upTo(at)) return false
    seen.add(at)
    return isSo(at) || at.calls.some(look)
  }
  return look(one)
}

function filesUnder(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
      .map((name) => path.join(folder, name))
  } catch {
    return []
  }
}

function domainOf(file: string): string {
  return /^app\/services\/([^/]+)\//.exec(file)?.[1] ?? ''
}

function readSource(file: string): Source {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const result: Source = { file, imports: new Map(), reExports: new Map(), functions: new Map() }
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const target = resolve(file, statement.moduleSpecifier)
      const names = statement.importClause?.namedBindings
      if (target && names && ts.isNamedImports(names)) {
        for (const one of names.elements) {
          result.imports.set(one.name.text, { file: target, name: (one.propertyName ?? one.name).text })
        }
      }
    } else if (ts.isExportDeclaration(statement) && statement.moduleSpecifier) {
      const target = resolve(file, statement.moduleSpecifier)
      if (target && statement.exportClause && ts.isNamedExports(statement.exportClause)) {
        for (const one of statement.exportClause.elements) {
          result.reExports.set(one.name.text, { file: target, name: (one.propertyName ?? one.name).text })
        }
      }
    } else if (ts.isFunctionDeclaration(statement) && statement.name && statement.body) {
      const name = statement.name.text
      result.functions.set(name, {
        id: `${domainOf(file)}/${name}`,
        domain: domainOf(file),
        file,
        text: statement.body.getText(source),
        calls: [],
        isPublic: false,
        called: identifiersIn(statement.body),
      })
    }
  }
  return result
}

/** Every name in the body, so that a function that is passed as a value counts as called. */
function identifiersIn(body: ts.Node): Set<string> {
  const names = new Set<string>()
  const walk = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text)
    ts.forEachChild(node, walk)
  }
  walk(body)
  return names
}

function resolve(file: string, specifier: ts.Expression): string | null {
  if (!ts.isStringLiteral(specifier)) return null
  const { text } = specifier
  if (text.startsWith('~db/')) return path.join('db', text.slice(4))
  if (text.startsWith('~/')) return path.join('app', text.slice(2))
  return text.startsWith('.') ? path.join(path.dirname(file), text) : null
}
