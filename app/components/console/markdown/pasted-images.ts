/** Uploads pictures that are pasted or dropped into the text. A placeholder in the text shows the progress. */
import type { Node } from '@milkdown/kit/prose/model'
import { type EditorState, Plugin, PluginKey } from '@milkdown/kit/prose/state'
import { Decoration, DecorationSet, type EditorView } from '@milkdown/kit/prose/view'
import { $prose } from '@milkdown/kit/utils'
import { fileProblem } from '~/forms/uploads.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { newImage } from '~/lib/markdown-image.ts'
import { sendFile, UploadFailed, uploadError } from '../send-file.ts'
import { cleanPastedHtml, type PastedImage } from './pasted-html.ts'

export type ImageUploads = {
  /** Says whether this text may contain uploaded images. */
  isAllowed: () => boolean
  csrf: () => string
  /** Tells the author what was left out and why. */
  showNote: (sentence: string) => void
}

const kind = 'announcement_img'

type Change = { add: { id: string; at: number; label: string } } | { remove: string }

const key = new PluginKey<DecorationSet>('pending-images')

export function pastedImages(uploads: ImageUploads) {
  // The images in the HTML of the current paste.
  let waiting: PastedImage[] = []
  const running: Running = new Map()
  const start = (view: EditorView, image: PastedImage, at: number) => upload(view, { uploads, running, image, at })
  const startAll = (view: EditorView, files: File[], at: number): boolean => {
    if (!uploads.isAllowed()) uploads.showNote(leftOutInWords(files.length, false))
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
            if (leftOut > 0) uploads.showNote(leftOutInWords(leftOut, uploads.isAllowed()))
            return clean.html
          },
          handlePaste: (view, event, slice) => {
            const files = imagesOf(event.clipboardData)
            const inHtml = waiting
            waiting = []
            // Spreadsheets also copy a table as a picture, so files count only if there is no text.
            const hasText = slice.content.textBetween(0, slice.content.size).trim() !== ''
            if (files.length > 0 && !hasText) return startAll(view, files, view.state.selection.to)
            // Waits until the text has been inserted.
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
              return startAll(view, files, at?.pos ?? view.state.selection.to)
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
    ? `${what} because ${count === 1 ? 'it is' : 'they are'} stored in another program or on another site. ${count === 1 ? 'Save it as a file and upload it' : 'Save them as files and upload them'} here.`
    : `${what} because you cannot paste pictures into this text.`
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
  const problem = fileProblem(kind, file)
  if (problem) return uploads.showNote(`${file.name}: ${problem}. Images must be PNG or JPG, up to 1 MB.`)
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
    if (!view.isDestroyed) insertImage(view, id, { ...newImage, src: sent.url ?? fileAddress(sent.name), altText })
  } catch (error) {
    if (signal.aborted || view.isDestroyed) return
    view.dispatch(view.state.tr.setMeta(key, { remove: id } satisfies Change))
    uploads.showNote(`${file.name}: ${error instanceof UploadFailed ? error.message : uploadError}`)
  } finally {
    running.delete(id)
  }
}

/** Replaces the placeholder with the image. If somebody has deleted the placeholder, the image is dropped. */
function insertImage(view: EditorView, id: string, image: typeof newImage): void {
  const at = placeholderPosition(view.state, id)
  const node = view.state.schema.nodes.image?.create(image) as Node | undefined
  const transaction = view.state.tr.setMeta(key, { remove: id } satisfies Change)
  if (at !== null && node) transaction.replaceWith(at, at, node)
  view.dispatch(transaction)
}

function placeholderPosition(state: EditorState, id: string): number | null {
  return key.getState(state)?.find(undefined, undefined, (spec) => spec.id === id)[0]?.from ?? null
}
