import { Form } from '@remix-run/react'
import { copyLink } from '~/browser/clipboard.ts'
import { previewLinkDays, previewLinkForm } from '~/forms/previews.ts'
import { useShell } from '../../layout/shell.ts'
import { SelectField } from '../../ui/choice-fields.tsx'
import { CsrfField, useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { CloseFooter, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { PreviewLinkRow, PreviewsView } from './view.ts'

const formId = 'preview-link'

type Props = PreviewsView & {
  /** The address of the link that was just made. It cannot be shown again. */
  made: string | null
}

/** The dialog that opens previews of what is saved, and makes preview links for colleagues. */
export function PreviewDialog({ noun, name, closeTo, uid, planUid, plans, links, made }: Props) {
  return (
    <RouteDialog title={`Preview ${noun}`} size="md" closeTo={closeTo} footer={<CloseFooter closeTo={closeTo} />}>
      <p className="dlg-question">{name}</p>
      <h3 className="mt-4 text-lg">As a learner of</h3>
      <ul className="mt-2 flex flex-wrap gap-3">
        {plans.map((plan) => (
          <li key={plan.value}>
            <a className="btn btn--secondary" href={plan.address} target="_blank" rel="noreferrer">
              {plan.label}
              <span className="sr-only"> (opens a new tab)</span>
            </a>
          </li>
        ))}
      </ul>
      <h3 className="mt-6 text-lg">Links for colleagues</h3>
      <p className="muted mt-1">
        A link shows this {noun.toLowerCase()}, also as a draft, to anybody of this site who is signed in. It works for{' '}
        {previewLinkDays} days.
      </p>
      <ConsoleForm
        key={uid}
        id={formId}
        schema={previewLinkForm}
        defaults={{ planUid }}
        intent="create"
        className="mt-4 flex flex-wrap items-end gap-3"
      >
        <input type="hidden" name="uid" value={uid} />
        <SelectField name="planUid" label="The link shows it as a learner of" options={plans} />
        <SubmitButton className="btn--primary" form={formId} intent="create" busyWord="Creating">
          Create link
        </SubmitButton>
      </ConsoleForm>
      {made && <MadeLink address={made} />}
      {links.length > 0 && (
        <ul className="formstack mt-4" aria-label="Links that work">
          {links.map((link) => (
            <LinkRow key={link.uid} link={link} />
          ))}
        </ul>
      )}
    </RouteDialog>
  )
}

function MadeLink({ address }: { address: string }) {
  const isHydrated = useHydrated()
  return (
    <p className="notice notice--success mt-4 flex-wrap items-center" role="status">
      <span className="min-w-0 grow basis-60">
        This address is shown only now. Copy it:
        <br />
        <a className="break-all" href={address} target="_blank" rel="noreferrer">
          {address}
        </a>
      </span>
      {isHydrated && (
        <button
          className="btn btn--secondary shrink-0 whitespace-nowrap"
          type="button"
          onClick={() => copyLink(address)}
        >
          <Icon name="copy" />
          Copy
        </button>
      )}
    </p>
  )
}

function LinkRow({ link: { uid, text } }: { link: PreviewLinkRow }) {
  const { csrf } = useShell()
  return (
    <li className="notice items-center">
      <span className="min-w-0 grow">{text}</span>
      <Form method="post" preventScrollReset className="shrink-0 whitespace-nowrap">
        <CsrfField token={csrf} />
        <input type="hidden" name="linkUid" value={uid} />
        <button className="btn btn--quiet" type="submit" name="intent" value="revoke" aria-label={`Revoke: ${text}`}>
          Revoke
        </button>
      </Form>
    </li>
  )
}

/** Leads from the footer of an edit dialog to its previews. A guard of unsaved changes asks first. */
export function PreviewLink({ to }: { to: string }) {
  return (
    <DialogLink className="btn btn--quiet" to={to} discover="none">
      Preview as …
    </DialogLink>
  )
}
