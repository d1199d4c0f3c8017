import { Link } from '@remix-run/react'
import { useRef } from 'react'
import { renameTagForm } from '~/forms/tag-changes.ts'
import { longestTag } from '~/forms/tags.ts'
import { TextField } from '../../ui/fields.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { TaggedItemView } from './view.ts'

type Props = { tag: { uid: string; text: string }; items: TaggedItemView[]; total: number }

const closeTo = '/dashboard/tags/'

/** Renames a tag, and shows what has it. */
export function TagDialog({ tag, items, total }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const formId = `tag-${tag.uid}`
  const refused = useRefusal(formId)?.values
  // The answer to a conflict leaves it out, because the form goes on from the text that is stored now.
  const openedText = refused?.openedText ?? tag.text
  const sameText = refused?.sameText
  return (
    <RouteDialog
      title="Edit Tag"
      size="md"
      isForm
      closeTo={closeTo}
      initialFocus={input}
      footer={
        <>
          <CloseLink closeTo={closeTo} />
          <span className="end">
            {sameText ? (
              // A button and no link, because what was typed is the text of the other one: nothing is lost.
              <SubmitButton className="btn--secondary" form={formId} intent="merge" busyWord="Opening">
                Merge
              </SubmitButton>
            ) : (
              <DialogLink className="btn btn--secondary" to={`/dashboard/tags/${tag.uid}/merge/`}>
                Merge
              </DialogLink>
            )}
            <SubmitButton className="btn--primary" form={formId} intent="save" busyWord="Saving">
              Save
            </SubmitButton>
          </span>
        </>
      }
    >
      <ConsoleForm
        id={formId}
        schema={renameTagForm}
        defaults={tag}
        guard={{ noun: 'tag', mode: 'editing' }}
        className="formstack"
      >
        <input type="hidden" name="openedText" value={openedText} />
        {sameText && <input type="hidden" name="sameText" value={sameText} />}
        <TextField
          name="text"
          label="Tag"
          hint="The new text appears on everything that has the tag."
          maxLength={longestTag}
          hasCounter
          inputRef={input}
        />
      </ConsoleForm>
      <section className="mt-6" aria-labelledby="tagged-items">
        <h3 id="tagged-items">{total === 0 ? 'Nothing has this tag' : 'Where it is used'}</h3>
        <ul className="mt-2">
          {items.map(({ uid, name, kind, to }) => (
            <li key={uid} className="py-1">
              <Link to={to} discover="none">
                {name}
              </Link>{' '}
              <span className="muted small">{kind}</span>
            </li>
          ))}
        </ul>
        {total > items.length && (
          <p className="muted small">
            The first {items.length} of {total.toLocaleString('en')} are shown.
          </p>
        )}
      </section>
    </RouteDialog>
  )
}
