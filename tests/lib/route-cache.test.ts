import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'
import { loadedPackages } from '../../server/loaded-packages.ts'
import { withRouteCache } from '../../server/route-cache.ts'

const files = [
  '@remix-run/router/dist/router.js',
  '@remix-run/react/dist/esm/server.js',
  'react-router-dom/server.mjs',
  'react-router/dist/index.js',
].map((file) => path.resolve('node_modules', file))

test.each(files)('the cache can be added to the installed %s', (file) => {
  const code = readFileSync(file, 'utf8')
  expect(withRouteCache(file, code)?.length).toBeGreaterThan(code.length)
})

test('the build stops if Remix’s file has changed, and leaves all other files as they are', () => {
  expect(() => withRouteCache(files[0] ?? '', 'export {}')).toThrow('025')
  expect(withRouteCache(path.resolve('app/root.tsx'), 'export {}')).toBeNull()
})

test('with its cache the router finds the same routes, ranks and parameters', async () => {
  const [file = ''] = files
  const code = withRouteCache(file, readFileSync(file, 'utf8')) ?? ''
  const cached = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
  const router = createRequire(path.resolve('node_modules/@remix-run/react/package.json'))('@remix-run/router')
  const routes = [
    { id: 'splat', path: '*' },
    {
      id: 'modules',
      path: 'modules',
      children: [
        { id: 'index', index: true },
        { id: 'module', path: ':uid' },
        { id: 'new', path: 'new' },
        { id: 'page', path: ':uid/report/:page?' },
      ],
    },
    { id: 'exact', path: 'Modules/Exact', caseSensitive: true },
  ]
  const found = (one: typeof router, address: string) =>
    one
      .matchRoutes(routes, address)
      ?.map(({ route, params, pathname }: { route: { id: string }; params: object; pathname: string }) => ({
        id: route.id,
        params,
        pathname,
      }))
  const addresses = [
    '/',
    '/modules',
    '/modules/',
    '/modules/new',
    '/modules/6f',
    '/MODULES/6f',
    '/modules/6f/report',
    '/modules/6f/report/2',
    '/Modules/Exact',
    '/modules/exact',
    '/a/b/c',
    '/modules/%C3%A9',
  ]
  for (const address of [...addresses, ...addresses]) expect(found(cached, address)).toEqual(found(router, address))
})

test('absolute addresses resolve without the routes around them as they do with them', () => {
  const router = createRequire(path.resolve('node_modules/@remix-run/react/package.json'))('@remix-run/router')
  for (const to of ['/', '/a/', '/a/../b', '/a?b=/c#d', '//a', '/./a', '/%2e/', '/?q']) {
    for (const at of ['/', '/modules/6f/']) {
      expect(router.resolveTo(to, [], at), to).toEqual(router.resolveTo(to, ['/', '/modules', '/modules/6f'], at))
    }
  }
})

test('every package that Remix contexts pass through is in the bundle', () => {
  const remix = ['@remix-run/react', '@remix-run/router', 'react-router', 'react-router-dom', 'remix-validated-form']
  // A second package with Remix hooks would look for contexts in its own copy.
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  const others = Object.keys(dependencies).filter((name) => {
    const { peerDependencies = {} } = JSON.parse(readFileSync(path.join('node_modules', name, 'package.json'), 'utf8'))
    return '@remix-run/react' in peerDependencies
  })
  expect([...remix, ...others].filter((name) => loadedPackages.includes(name))).toEqual([])
})
