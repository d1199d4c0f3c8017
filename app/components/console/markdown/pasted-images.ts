/** Pictures that are pasted into the text or dropped on it: they are uploaded, and their place in the text shows how far they are. */
import type { Node } from '@milkdown/kit/prose/model'
import { type EditorState, Plugin, PluginKey } from '@milkdown/kit/prose/state'
import { Decoration, DecorationSet, type EditorView } from '@milkdown/kit/prose/view'
import { $prose } from '@milkdown/kit/utils'
import { fileProblem, uploadRules } from '~/forms/uploads.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { newImage } from '~/lib/markdown-image.ts'
import { sendFile, UploadFailed, uploadError } from '../send-file.ts'
import { cleanPastedHtml, type PastedImage } from './pasted-html.ts'

export type ImageUploads = {
  /** Whether this text takes uploaded images. */
  isAllowed: () => boolean
  csrf: () => string
  /** Says to whoever writes what was left out, and why. */
  tell: (sentence: string) => void
}

const kind = 'announcement_img'

type Change = { add: { id: string; at: number; label: string } } | { remove: string }

const key = new PluginKey<DecorationSet>('pending-images')

export function pastedImages(uploads: ImageUploads) {
  // What the HTML of the paste that is being read brings along.
  let waiting: PastedImage[] = []
  const running: Running = new Map()
  const start = (view: EditorView, image: PastedImage, at: number) => upload(view, { uploads, running, image, at })
  const take = (view: EditorView, files: File[], at: number): boolean => {
    if (!uploads.isAllowed()) uploads.tell(leftOutInWords(files.length, false))
    else for (const file of files) start(view, { file, altText: '' }, at)
    return true
  }
  return $prose(
    () =>
      new Plugin<DecorationSet>({
        key,
        state: {
          init: () => DecorationSet.empty,
          apply: (transaction, before) => {
            const set = before.map(transaction.mapping, transaction.doc)
            const change = transaction.getMeta(key) as Change | undefined
            if (!change) return set
            if ('remove' in change) return set.remove(set.find(undefined, undefined, ({ id }) => id === change.remove))
            const { id, at, label } = change.add
            return set.add(transaction.doc, [
              Decoration.widget(at, () => placeholderOf(running.get(id), label), { id, key: id }),
            ])
          },
        },
        props: {
          decorations: (state) => key.getState(state),
          transformPastedHTML: (html) => {
            const clean = cleanPastedHtml(html)
            waiting = uploads.isAllowed() ? clean.images : []
            const leftOut = clean.refused + clean.images.length - waiting.length
            if (leftOut > 0) uploads.tell(leftOutInWords(leftOut, uploads.isAllowed()))
            return clean.html
          },
          handlePaste: (view, event, slice) => {
            const files = imagesOf(event.clipboardData)
            const inHtml = waiting
            waiting = []
            // A table of a spreadsheet comes as a picture, too, and a copied picture as HTML with its address.
            const hasText = slice.content.textBetween(0, slice.content.size).trim() !== ''
            if (files.length > 0 && !hasText) return take(view, files, view.state.selection.to)
            // After the text is there.
            setTimeout(() => {
              for (const image of inHtml) if (!view.isDestroyed) start(view, image, view.state.selection.to)
            })
            return false
          },
          handleDOMEvents: {
            drop: (view, event) => {
              const files = imagesOf(event.dataTransfer)
              if (files.length === 0) return false
              event.preventDefault()
              const at = view.posAtCoords({ left: event.clientX, top: event.clientY })
              return take(view, files, at?.pos ?? view.state.selection.to)
            },
          },
        },
        view: () => ({
          destroy: () => {
            for (const { controller } of running.values()) controller.abort()
          },
        }),
      }),
  )
}

function leftOutInWords(count: number, canUpload: boolean): string {
  const what = count === 1 ? 'A picture was left out' : `${count} pictures were left out`
  return canUpload
    ? `${what}, because ${count === 1 ? 'it is' : 'they are'} kept by another program or site. Save ${count === 1 ? 'it' : 'them'} as a file and upload it here.`
    : `${what}: pictures cannot be pasted into this text.`
}

function imagesOf(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'))
}

type Upload = { controller: AbortController; element: HTMLElement | null }
type Running = Map<string, Upload>

function placeholderOf(upload: Upload | undefined, label: string): HTMLElement {
  const element = document.createElement('span')
  element.className = 'editor-pending'
  element.setAttribute('role', 'status')
  element.textContent = `Uploading ${label}`
  if (upload) upload.element = element
  return element
}

type Work = { uploads: ImageUploads; running: Running; image: PastedImage; at: number }

async function upload(view: EditorView, { uploads, running, image: { file, altText }, at }: Work): Promise<void> {
  const problem = fileProblem(uploadRules[kind], file)
  if (problem) return uploads.tell(`${file.name}: ${problem}. Images are PNG or JPG, up to 1 MB.`)
  const id = crypto.randomUUID()
  const own: Upload = { controller: new AbortController(), element: null }
  const { signal } = own.controller
  running.set(id, own)
  view.dispatch(view.state.tr.setMeta(key, { add: { id, at, label: file.name } } satisfies Change))
  const onProgress = (percent: number) => {
    if (own.element) own.element.textContent = `Uploading ${file.name}, ${percent}%`
  }
  try {
    const sent = await sendFile({ file, kind, csrf: uploads.csrf(), signal, onProgress })
    if (!view.isDestroyed) place(view, id, { ...newImage, src: sent.url ?? fileAddress(sent.name), altText })
  } catch (error) {
    if (signal.aborted || view.isDestroyed) return
    view.dispatch(view.state.tr.setMeta(key, { remove: id } satisfies Change))
    uploads.tell(`${file.name}: ${error instanceof UploadFailed ? error.message : uploadError}`)
  } finally {
    running.delete(id)
  }
}

/** Where its place is by now; nowhere when that was deleted. */
function place(view: EditorView, id: string, image: typeof newImage): void {
  const at = placeIn(view.state, id)
  const node = view.state.schema.nodes.image?.create(image) as Node | undefined
  const transaction = view.state.tr.setMeta(key, { remove: id } satisfies Change)
  if (at !== null && node) transaction.replaceWith(at, at, node)
  view.dispatch(transaction)
}

function placeIn(state: EditorState, id: string): number | null {
  return key.getState(state)?.find(undefined, undefined, (spec) => spec.id === id)[0]?.from ?? null
}
