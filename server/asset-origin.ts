import type { ServerBuild } from '@remix-run/node'

const isScript = (path: string) => path.startsWith('/assets/') && path.endsWith('.js')

/**
 * A build whose scripts the browser loads from another origin (L-246). Everything that Remix tells the browser to load
 * comes from its manifest, and a script loads others by addresses relative to its own. Style sheets stay on the site: a
 * page without scripts needs nothing from another host.
 */
export function withAssetOrigin<Build extends ServerBuild>(build: Build, origin: string | undefined): Build {
  if (origin === undefined) return build
  const moved = (value: unknown): unknown => {
    if (typeof value === 'string') return isScript(value) ? origin + value : value
    if (Array.isArray(value)) return value.map(moved)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, moved(part)]))
  }
  return { ...build, assets: moved(build.assets) as Build['assets'], publicPath: `${origin}/` }
}
