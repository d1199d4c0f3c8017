import { Link } from '@remix-run/react'
import { useRef } from 'react'
import { savedViewForm, savedViewLimits } from '~/forms/saved-views.ts'
import { BeyondTheList, Empty } from '../../ui/empty.tsx'
import { CheckboxField, TextField } from '../../ui/fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pages } from '../../ui/pages.tsx'
import { ConsoleForm } from '../console-form.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { RemovedList } from '../removed-list.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { ReportsFrame } from './reports-page.tsx'
import type { SavedViewRow, SavedViewsView, SaveViewView } from './view.ts'

const path = '/dashboard/reports/views/'

/** The views of the viewer, and those that other admins share. */
export function SavedViews({ rows, page, size, total, removed }: SavedViewsView) {
  return (
    <ReportsFrame tab="views">
      <h2>Saved views</h2>
      <p className="muted mb-4">
        Open a report, choose what it is about, and press “Save view”. A view keeps its period, such as Last Month, and
        shows it as of today.
      </p>
      {rows.length === 0 && total > 0 ? (
        <BeyondTheList icon="save" to={path} />
      ) : rows.length === 0 ? (
        <Empty icon="save" title="There are no saved views yet">
          <p>Save the reports that you open often, with their periods and filters.</p>
        </Empty>
      ) : (
        <ul className="sortable" aria-label="Saved views">
          {rows.map((row) => (
            <li key={row.uid} className="sortable-row">
              <Row {...row} />
            </li>
          ))}
        </ul>
      )}
      <Pages {...{ page, size, total }} to={(number) => `${path}?page=${number}`} />
      <RemovedList title="Deleted in the last thirty days" path={path} removed={removed} />
    </ReportsFrame>
  )
}

function Row({ uid, name, to, words, sharing, isOwn, problem }: SavedViewRow) {
  return (
    <>
      <span className="sortable-name">
        {to === null ? (
          name
        ) : (
          <Link className="name" to={to} discover="none">
            {name}
          </Link>
        )}
        <span className="muted small font-normal block">{words}</span>
        {sharing && <span className="muted small font-normal block">{sharing}</span>}
        {problem && (
          <span className="small font-normal flex items-center gap-2">
            <Icon name="alert" />
            {problem}
          </span>
        )}
      </span>
      {isOwn && (
        <>
          <DialogLink
            className="iconbtn"
            to={`${path}${uid}/`}
            aria-label={`Edit ${name}`}
            title="Edit"
            discover="none"
          >
            <ConsoleIcon name="edit" />
          </DialogLink>
          <DialogLink
            className="iconbtn"
            to={`${path}${uid}/delete/`}
            aria-label={`Delete ${name}`}
            title="Delete"
            discover="none"
          >
            <ConsoleIcon name="trash" />
          </DialogLink>
        </>
      )}
    </>
  )
}

/** Saves the question of a report under a name. */
export function SaveView({ uid, words, defaults, closeTo }: SaveViewView) {
  return (
    <ViewDialog
      title="Save View"
      {...{ closeTo, defaults }}
      formId="save-view"
      mode="creating"
      hidden={uid}
      about={words}
    />
  )
}

/** Renames a view, and shares it or stops sharing it. */
export function EditView({ uid, name, isShared }: { uid: string; name: string; isShared: boolean }) {
  return (
    <ViewDialog
      title="Edit View"
      closeTo={path}
      formId={`view-${uid}`}
      mode="editing"
      defaults={{ name, isShared: isShared ? 'on' : undefined }}
    />
  )
}

type DialogProps = {
  title: string
  closeTo: string
  formId: string
  mode: 'creating' | 'editing'
  defaults: Record<string, unknown>
  hidden?: string
  about?: string
}

function ViewDialog({ title, closeTo, formId, mode, defaults, hidden, about }: DialogProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <RouteDialog
      title={title}
      size="md"
      isForm
      closeTo={closeTo}
      initialFocus={input}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <SubmitButton className="btn--primary" form={formId} intent="save" busyWord="Saving">
            Save
          </SubmitButton>
        </span>
      }
    >
      {about && <p className="dlg-question">{about}</p>}
      <ConsoleForm
        id={formId}
        schema={savedViewForm}
        defaults={defaults}
        guard={{ noun: 'view', mode }}
        className="formstack mt-4"
      >
        {hidden && <input type="hidden" name="uid" value={hidden} />}
        <TextField name="name" label="Name" maxLength={savedViewLimits.name} inputRef={input} />
        <CheckboxField
          name="isShared"
          label="Share with all admins"
          hint="They can open the view. Only you can change it."
        />
      </ConsoleForm>
    </RouteDialog>
  )
}
