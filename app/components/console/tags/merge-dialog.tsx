import { mergeTagForm } from '~/forms/tag-changes.ts'
import { type Option, SelectField } from '../../ui/choice-fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { MergeDialogFrame } from '../merge-dialog-frame.tsx'

/**
 * What merging would do: how many items have the tag, how many of them have the other one already, and the first of
 * them.
 */
export type MergePreview = {
  into: string
  text: string
  items: number
  alreadyThere: number
  first: { uid: string; name: string; kind: string; hasOther: boolean }[]
}

type Props = {
  tag: { uid: string; text: string }
  /** The other tags. */
  others: Option[]
  /** The other one that is chosen already. */
  into: string
  preview: MergePreview | null
}

/** Merges a tag into another one. */
export function MergeTag({ tag, others, into, preview }: Props) {
  const closeTo = `/dashboard/tags/${tag.uid}/`
  const formId = `merge-${tag.uid}`
  return (
    <MergeDialogFrame name={tag.text} formId={formId} closeTo={closeTo} isPreviewed={preview !== null}>
      <ConsoleForm
        id={formId}
        intent="preview"
        schema={mergeTagForm}
        defaults={{ into: preview?.into ?? into }}
        className="formstack"
      >
        {preview && <input type="hidden" name="previewed" value={preview.into} />}
        <SelectField name="into" label="Merge into" options={others} placeholder="Choose a tag" />
        {preview && (
          <div className="notice" role="status">
            <Icon name="info" />
            <p>
              <strong>{changesInWords(preview)}</strong>“{tag.text}” disappears from the list of tags. You can undo this
              for thirty days.
            </p>
          </div>
        )}
      </ConsoleForm>
      {preview && preview.first.length > 0 && <Items preview={preview} />}
    </MergeDialogFrame>
  )
}

function Items({ preview: { first, items, text } }: { preview: MergePreview }) {
  return (
    <section className="mt-6" aria-labelledby="merged-items">
      <h3 id="merged-items">What changes</h3>
      <ul className="mt-2">
        {first.map(({ uid, name, kind, hasOther }) => (
          <li key={uid} className="py-1">
            {name} <span className="muted small">{hasOther ? `${kind}, has “${text}” already` : kind}</span>
          </li>
        ))}
      </ul>
      {items > first.length && (
        <p className="muted small">
          The first {first.length} of {items.toLocaleString('en')} are shown.
        </p>
      )}
    </section>
  )
}

function changesInWords({ text, items, alreadyThere }: MergePreview): string {
  if (items === 0) return 'Nothing has this tag.'
  const all = items === 1 ? 'One item gets' : `${items.toLocaleString('en')} items get`
  if (alreadyThere === 0) return `${all} “${text}” instead.`
  return `${all} “${text}” instead; ${alreadyThere.toLocaleString('en')} of them ${alreadyThere === 1 ? 'has' : 'have'} it already.`
}
