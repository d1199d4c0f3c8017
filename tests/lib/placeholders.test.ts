import { describe, expect, test } from 'vitest'
import { escapeHtml } from '~/lib/mail-text.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import { escapeMarkdown, fillPlaceholders, unknownPlaceholders } from '~/lib/placeholders.ts'

const ada = { 'first name': 'Ada', institution: 'University of Basel' }

describe('placeholders', () => {
  test('C-042 are filled in with what the recipient has, whatever their case and blanks', () => {
    expect(fillPlaceholders('Hello {{first name}} of {{ INSTITUTION }}, {{First  Name}}!', ada)).toBe(
      'Hello Ada of University of Basel, Ada!',
    )
  })

  test('C-042 have words for somebody without a name or an institution', () => {
    const nothing = { 'first name': ' ', institution: null }
    expect(fillPlaceholders('Hello {{first name}}, news at {{institution}}.', nothing)).toBe(
      'Hello there, news at your institution.',
    )
  })

  test('C-042 that do not exist are named, once each, and stay in the text', () => {
    const text = '{{frist name}} {{first name}} {{frist name}} {{}} { {x} } {{a\nb}}'
    expect(unknownPlaceholders(text)).toEqual(['{{frist name}}', '{{}}'])
    expect(fillPlaceholders('{{frist name}}', ada)).toBe('{{frist name}}')
  })

  test('C-278 a name cannot act as HTML, as Markdown or as another placeholder', () => {
    const hostile = { 'first name': '<b>*x*</b> [y](https://evil.example) {{institution}}', institution: 'No' }
    const html = fillPlaceholders(renderMarkdown('Hello {{first name}}'), hostile, escapeHtml)
    expect(html).toBe('<p>Hello &lt;b&gt;*x*&lt;/b&gt; [y](https://evil.example) {{institution}}</p>')
    const rendered = renderMarkdown(
      fillPlaceholders('{{first name}}', { ...ada, 'first name': '# a\n- b *c*' }, escapeMarkdown),
    )
    expect(rendered).toBe('<p># a - b *c*</p>')
    expect(
      renderMarkdown(
        fillPlaceholders('{{first name}}', { ...ada, 'first name': '<img src=x onerror=alert(1)>' }, escapeMarkdown),
      ),
    ).not.toContain('<img')
  })
})
