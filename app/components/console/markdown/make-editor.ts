/** Sets up Milkdown for this product: it reads and writes markdown. */
import {
  defaultValueCtx,
  Editor,
  editorViewCtx,
  editorViewOptionsCtx,
  remarkStringifyOptionsCtx,
  rootCtx,
  serializerCtx,
} from '@milkdown/kit/core'
import { clipboard } from '@milkdown/kit/plugin/clipboard'
import { history } from '@milkdown/kit/plugin/history'
import {
  commonmark,
  headingSchema,
  insertImageInputRule,
  linkSchema,
  listItemKeymap,
  remarkPreserveEmptyLinePlugin,
  syncHeadingIdPlugin,
} from '@milkdown/kit/preset/commonmark'
import { gfm, tableKeymap } from '@milkdown/kit/preset/gfm'
import { keydownHandler } from '@milkdown/kit/prose/keymap'
import { type Command, Plugin } from '@milkdown/kit/prose/state'
import type { EditorView } from '@milkdown/kit/prose/view'
import { $prose, $remark } from '@milkdown/kit/utils'
import { isSafeLink, preferHttps } from '~/lib/link-address.ts'
import { imageNode } from './images.ts'
import { type ImageUploads, pastedImages } from './pasted-images.ts'
import { shortcuts } from './shortcuts.ts'
import { enterAfterImage, tabInTable } from './text-keys.ts'
import { typedAddress, typedImage, typedLink } from './typing.ts'

export type RichEditor = {
  view: EditorView
  /** Returns the markdown to send: exactly the loaded text as long as nothing has changed. */
  markdown: () => string
  end: () => void
}

type Options = {
  root: HTMLElement
  markdown: string
  attributes: () => Record<string, string>
  keys: Record<string, Command>
  uploads: ImageUploads
  /** Called after each change of the text or the selection. */
  onUpdate: (view: EditorView, isChanged: boolean) => void
}

/** Rejects if the editor cannot handle the markdown. */
export async function makeEditor({
  root,
  markdown,
  attributes,
  keys,
  uploads,
  onUpdate,
}: Options): Promise<RichEditor> {
  const editor = await Editor.make()
    .config((ctx) => {
      ctx.set(rootCtx, root)
      ctx.set(defaultValueCtx, markdown)
      ctx.update(editorViewOptionsCtx, (options) => ({ ...options, attributes, handleKeyDown: keydownHandler(keys) }))
      ctx.update(remarkStringifyOptionsCtx, (options) => ({ ...options, bullet: '-' as const, rule: '-' as const }))
      // Tab leaves the editor, so lists use the bracket keys. Tables have them too, besides Tab (text-keys.ts).
      ctx.update(listItemKeymap.key, (map) => ({
        ...map,
        SinkListItem: { ...map.SinkListItem, shortcuts: 'Mod-]' },
        LiftListItem: { ...map.LiftListItem, shortcuts: 'Mod-[' },
      }))
      ctx.update(tableKeymap.key, (map) => ({
        ...map,
        NextCell: { ...map.NextCell, shortcuts: shortcuts.nextCell },
        PrevCell: { ...map.PrevCell, shortcuts: shortcuts.previousCell },
      }))
    })
    .use(commonmark.filter((plugin) => !unused.has(plugin)))
    .use(gfm)
    .use([imageNode, plainHeading, safeLink].flat())
    .use([enterAfterImage, tabInTable])
    .use(
      [
        httpsForWww,
        htmlInFootnotes,
        [typedImage, typedLink, typedAddress],
        history,
        pastedImages(uploads),
        clipboard,
      ].flat(),
    )
    .use(
      $prose(
        () =>
          new Plugin({ view: () => ({ update: (view, before) => onUpdate(view, !before.doc.eq(view.state.doc)) }) }),
      ),
    )
    .create()
  const view = editor.ctx.get(editorViewCtx)
  const written = () => editor.ctx.get(serializerCtx)(view.state.doc).replace(/\n+$/, '')
  const atFirst = written()
  return {
    view,
    markdown: () => {
      const now = written()
      return now === atFirst ? markdown : now
    },
    end: () => void editor.destroy(),
  }
}

/**
 * Plugins that are left out: ids of headings could clash with ids of the page, and `<br />` for empty lines would be
 * HTML.
 */
const unused = new Set([...[remarkPreserveEmptyLinePlugin, insertImageInputRule].flat(), syncHeadingIdPlugin])

const plainHeading = headingSchema.extendSchema((base) => (ctx) => ({
  ...base(ctx),
  toDOM: (node) => [`h${node.attrs.level}`, 0],
}))

const safeLink = linkSchema.extendSchema((base) => (ctx) => ({
  ...base(ctx),
  inclusive: false,
  parseDOM: [
    {
      tag: 'a[href]',
      getAttrs: (dom) => {
        const href = (dom as HTMLElement).getAttribute('href') ?? ''
        return isSafeLink(href) && { href, title: (dom as HTMLElement).getAttribute('title') }
      },
    },
  ],
}))

type Tree = { type: string; children?: Tree[] }

const httpsForWww = $remark('httpsForWww', () => () => (tree) => preferHttpsIn(tree as Tree))

function preferHttpsIn(node: Tree): void {
  if (node.type === 'link') preferHttps(node as Parameters<typeof preferHttps>[0])
  node.children?.forEach(preferHttpsIn)
}

/** Milkdown knows HTML as a part of a paragraph only, and drops a footnote that consists of it. */
const htmlInFootnotes = $remark('htmlInFootnotes', () => () => (tree) => wrapHtmlIn(tree as Tree))

function wrapHtmlIn(node: Tree): void {
  if (node.type === 'footnoteDefinition') {
    node.children = node.children?.map((child) =>
      child.type === 'html' ? { type: 'paragraph', children: [child] } : child,
    )
  }
  node.children?.forEach(wrapHtmlIn)
}
