import { useActionData } from '@remix-run/react'
import { type ComponentType, type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react'
import { previewIntent } from '~/forms/intents.ts'
import { isTooIntricate } from '~/lib/markdown-limits.ts'
import { controlProps, Field, useFormField } from '../ui/fields.tsx'
import { useHydrated } from '../ui/form.tsx'
import type { RichEditorProps } from './markdown/rich-editor.tsx'

type Props = {
  name: string
  label: string
  hint?: ReactNode
  isOptional?: boolean
  /** In characters of markdown; at most `longestMarkdown`, which is what is ever rendered. */
  maxLength?: number
  placeholder?: string
  /** Whether the "Insert Image" menu offers "Upload File": for images in messages only. */
  canUpload?: boolean
  /** False where the whole form has a preview. */
  hasPreview?: boolean
  autoFocus?: boolean
}

/**
 * Rich text in a ConsoleForm: markdown in, markdown out. The value is a hidden field of the form, so its schema, the unsaved guard and refused
 * values work as with any field; a text that nobody changed is sent as it came.
 *
 * Without JavaScript, while the editor loads, and where it cannot take the text, it is a textarea with a "Preview" button, which posts
 * the form with `previewIntent`. The browser checks nothing then, and the action answers first of all with `previewMarkdown` of
 * http/markdown-preview.server.ts:
 *
 *     if (text(form, 'intent') === previewIntent) return previewMarkdown(args, ctx, form, ['questionsMarkdown'])
 */
export function MarkdownField({ hasPreview = true, ...props }: Props) {
  const { name, label, hint, isOptional, maxLength, placeholder, canUpload, autoFocus } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const focus = useRef(() => area.current?.focus())
  const { error, defaultValue, clearError, validate } = useFormField(name, {}, { focus: () => focus.current() })
  const [markdown, setMarkdown] = useState(String(defaultValue ?? ''))
  const { Editor, fail } = useEditor(markdown, () => {
    // What was typed before this page was taken over told nobody.
    if (area.current) setMarkdown(area.current.value)
  })
  const [hadFocus, setHadFocus] = useState(autoFocus ?? false)
  const isReady = useHydrated()
  const length = [...markdown].length
  const control = controlProps(id, { error, hint, isOptional })
  const change = (value: string) => {
    setMarkdown(value)
    if (!error) return
    // The schema looks at what is in the form, which is there after this render.
    clearError()
    setTimeout(validate)
  }
  return (
    <Field
      {...{ id, label, hint, isOptional, error }}
      typedName={name}
      aside={isReady && maxLength !== undefined && <Length length={length} max={maxLength} />}
    >
      {Editor ? (
        <>
          <input type="hidden" name={name} value={markdown} />
          <Editor
            label={label}
            markdown={markdown}
            control={asAttributes(control)}
            placeholder={placeholder}
            canUpload={canUpload ?? false}
            hasFocus={hadFocus}
            onChange={change}
            onReady={(toEditor) => {
              focus.current = toEditor
            }}
            onFail={fail}
          />
        </>
      ) : (
        <>
          <textarea
            {...control}
            ref={area}
            name={name}
            className="input editor-plain"
            rows={10}
            defaultValue={markdown}
            placeholder={placeholder}
            // biome-ignore lint/a11y/noAutofocus: dialogs that are about this text ask for it
            autoFocus={autoFocus}
            onFocus={() => setHadFocus(true)}
            onBlur={() => setHadFocus(false)}
            onChange={(event) => change(event.currentTarget.value)}
          />
          <PlainPreview name={name} hasButton={hasPreview} />
        </>
      )}
    </Field>
  )
}

function PlainPreview({ name, hasButton }: { name: string; hasButton: boolean }) {
  const html = useActionData<{ previews?: Record<string, string> } | null>()?.previews?.[name]
  return (
    <div className="editor-preview">
      <p className="muted small">You can use Markdown: **bold**, *italic*, # heading, - list, [link](https://…).</p>
      {hasButton && (
        <button className="btn btn--secondary" type="submit" name="intent" value={previewIntent} formNoValidate>
          Preview
        </button>
      )}
      {html !== undefined && (
        <section aria-label="Preview" className="editor-previewed">
          {/* Rendered by lib/markdown.ts, whose last step sanitizes. */}
          <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />
        </section>
      )}
    </div>
  )
}

function Length({ length, max }: { length: number; max: number }) {
  return (
    <span className={length > max ? 'counter is-over' : 'counter'}>
      <span aria-hidden="true">
        {length.toLocaleString('en')} of {max.toLocaleString('en')} characters of Markdown
      </span>
      <span className="sr-only" role="status">
        {length > max ? `${(length - max).toLocaleString('en')} characters too many` : ''}
      </span>
    </span>
  )
}

type LoadedEditor = { Editor: ComponentType<RichEditorProps> | null; fail: () => void }

/** The editor as soon as it is loaded; null for a text that it should not be given, and where it did not load. */
function useEditor(markdown: string, onLoad: () => void): LoadedEditor {
  const [Editor, setEditor] = useState<ComponentType<RichEditorProps> | null>(null)
  const [isRefused, setRefused] = useState(() => isTooIntricate(markdown))
  const loaded = useRef(onLoad)
  loaded.current = onLoad
  useEffect(() => {
    if (isRefused) return
    import('./markdown/rich-editor.tsx').then(
      (chunk) => {
        if (!chunk) return
        loaded.current()
        setEditor(() => chunk.RichEditor)
      },
      () => {},
    )
  }, [isRefused])
  const fail = useCallback(() => {
    setRefused(true)
    setEditor(null)
  }, [])
  return { Editor: isRefused ? null : Editor, fail }
}

function asAttributes(control: ReturnType<typeof controlProps>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(control).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  )
}
