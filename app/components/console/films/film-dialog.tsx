import { Dialog, DialogPanel, DialogTitle } from '@headlessui/react'
import { useActionData, useLocation, useNavigate } from '@remix-run/react'
import { type MouseEvent, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import { type FilmKindName, filmFormId, filmUnsaved, previewNeedsUrl } from '~/forms/films.ts'
import { exitIntent, watchIntent } from '~/forms/intents.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { useHydrated } from '../../ui/form.tsx'
import { ProblemsLine } from '../checks/problems.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import type { DraftOfForm } from '../drafts/form-draft.tsx'
import { FormTabs } from '../form-tabs.tsx'
import { HistoryLink } from '../history/history-link.tsx'
import { PreviewLink } from '../previews/preview-dialog.tsx'
import { CloseLink, RouteDialog } from '../route-dialog.tsx'
import { PlannedLine } from '../schedule/schedule-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { hasUnsavedChanges } from '../unsaved-guard.tsx'
import { contentFields, FilmContent } from './film-content.tsx'
import { detailFields, FilmDetails } from './film-details.tsx'
import { FilmPreview } from './film-preview.tsx'
import { filmKinds } from './kinds.ts'
import type { FilmChoices, FilmFiles, FilmMediaView, FilmPreviewView, SavedFilmView } from './view.ts'

type Props = {
  kind: FilmKindName
  choices: FilmChoices
  defaults: Record<string, unknown>
  files: FilmFiles
  media: FilmMediaView
  /** Null while it is being created; `uid` is then the uid that it will get. */
  film: SavedFilmView | null
  uid: string
  draft: DraftOfForm['offered']
  problems?: string[]
  planned?: string[]
}

/** The last open tab of each lecture or video, by uid. Only the browser writes it. */
const lastTabs = new Map<string, string>()

/** The dialog of a lecture or video: one form in two tabs, a preview of the form, and a way to publish what is saved. */
export function FilmDialog(props: Props) {
  const { kind, choices, defaults, files, media, film, uid: given, draft, problems = [], planned = [] } = props
  const { noun, title, path, schema } = filmKinds[kind]
  const refusal = useRefusal()
  const isHydrated = useHydrated()
  const preview = usePreview()
  const [tabFooter, setTabFooter] = useState<HTMLElement | null>(null)
  const [isUploading, noteUploads] = useUploads()
  // When another person has saved changes, the form is created again with those changes.
  const revision = refusal?.values.revision ?? String(film?.revision ?? 0)
  // A new film that is restored from a draft has the uid of the draft.
  const uid = refusal?.values.uid || given
  const formId = refusal?.formId ?? filmFormId(kind, film ? uid : 'new', revision)
  // Without JavaScript the preview is a page, and the form waits in it unseen.
  const isPreviewPage = preview.film !== null && !isHydrated
  return (
    <RouteDialog
      title={isPreviewPage ? `Preview ${title}` : film ? `Edit ${title}` : `Create ${title}`}
      size="lg"
      isForm
      closeTo={path}
      status={<StatusChip status={film?.status ?? 'draft'} />}
      footer={
        isPreviewPage ? (
          <span className="end">
            <SubmitButton className="btn--primary" form={formId} intent={exitIntent} busyWord="Going back">
              Exit
            </SubmitButton>
          </span>
        ) : (
          <>
            <CloseLink closeTo={path} />
            {film && <HistoryLink to={`${path}${uid}/history/`} />}
            {film && <PreviewLink to={`${path}${uid}/preview/`} />}
            <span ref={setTabFooter} />
            <Actions kind={kind} formId={formId} film={film} isUploading={isUploading} />
          </>
        )
      }
    >
      {isPreviewPage && preview.film && <FilmPreview film={preview.film} />}
      <div hidden={isPreviewPage}>
        <ConsoleForm
          key={formId}
          id={formId}
          schema={schema}
          defaults={defaults}
          draft={{ kind, uid, isNew: !film, offered: draft }}
          guard={{ noun, mode: film ? 'editing' : 'creating' }}
          encType="multipart/form-data"
          isWaiting={isUploading}
          neededBy={(intent) => (intent === watchIntent ? { fields: [] } : undefined)}
        >
          <input type="hidden" name="revision" value={revision} />
          <input type="hidden" name="uid" value={uid} />
          <ProblemsLine problems={problems} />
          <PlannedLine kind={kind} uid={uid} planned={planned} />
          <FormTabs
            label={`Parts of the ${noun}`}
            isVertical
            initial={lastTabs.get(uid)}
            onSelect={(id) => lastTabs.set(uid, id)}
            footer={tabFooter}
            tabs={[
              {
                id: 'details',
                label: 'Details',
                fields: detailFields,
                content: (
                  <FilmDetails
                    kind={kind}
                    choices={choices}
                    files={files}
                    formId={formId}
                    onBusyChange={noteUploads('details')}
                  />
                ),
              },
              {
                id: 'content',
                label: 'Content',
                fields: contentFields,
                content: (
                  <FilmContent kind={kind} formId={formId} media={media} onBusyChange={noteUploads('content')} />
                ),
              },
            ]}
          />
        </ConsoleForm>
      </div>
      {isHydrated && <PreviewDialog title={title} film={preview.film} onClose={preview.close} />}
    </RouteDialog>
  )
}

/** Whether files of any tab are on their way. */
function useUploads(): [isUploading: boolean, note: (tab: string) => (isBusy: boolean) => void] {
  const [busy, setBusy] = useState<string[]>([])
  const note = (tab: string) => (isBusy: boolean) =>
    setBusy((before) => [...before.filter((one) => one !== tab), ...(isBusy ? [tab] : [])])
  return [busy.length > 0, note]
}

/** The film that the action has sent for a preview, until the preview is closed. */
function usePreview(): { film: FilmPreviewView | null; close: () => void } {
  const film = useActionData<{ film?: FilmPreviewView } | null>()?.film ?? null
  const [closed, setClosed] = useState<FilmPreviewView | null>(null)
  return { film: film === closed ? null : film, close: () => setClosed(film) }
}

type PreviewProps = { title: string; film: FilmPreviewView | null; onClose: () => void }

/** The preview over the dialog. Exit returns to the form with its entries. */
function PreviewDialog({ title, film, onClose }: PreviewProps) {
  return (
    <Dialog open={film !== null} onClose={onClose} className="dlg-layer">
      <div className="dlg-place">
        <DialogPanel className="dlg dlg--xl">
          <div className="dlg-head">
            <DialogTitle as="h2">Preview {title}</DialogTitle>
          </div>
          <div className="in">{film && <FilmPreview film={film} />}</div>
          <div className="dlg-foot">
            <span className="end">
              <button className="btn btn--primary" type="button" onClick={onClose}>
                Exit
              </button>
            </span>
          </div>
        </DialogPanel>
      </div>
    </Dialog>
  )
}

function hasSource(form: FormData): boolean {
  const source = form.get('videoSource') === 'file' ? 'videoFile' : 'videoUrl'
  return String(form.get(source) ?? '').trim() !== ''
}

type ActionsProps = { kind: FilmKindName; formId: string; film: SavedFilmView | null; isUploading: boolean }

/**
 * PREVIEW, which shows the form as it is, PUBLISH or UNPUBLISH, which needs a saved one, and Save. What cannot
 * be done is said without a request; without JavaScript the server refuses.
 */
function Actions({ kind, formId, film, isUploading }: ActionsProps) {
  const isHydrated = useHydrated()
  const navigate = useNavigate()
  const { search } = useLocation()
  const isPublished = film?.status === 'published'
  const form = () => document.getElementById(formId) as HTMLFormElement | null
  const preview = (event: MouseEvent<HTMLButtonElement>) => {
    const element = form()
    if (!isHydrated || !element || hasSource(new FormData(element))) return
    event.preventDefault()
    notify({ kind: 'error', text: previewNeedsUrl(kind) })
  }
  const publish = (event: MouseEvent<HTMLButtonElement>) => {
    if (!isHydrated) return
    event.preventDefault()
    if (!film || hasUnsavedChanges(form())) notify({ kind: 'error', text: filmUnsaved(kind) })
    else navigate(`${filmKinds[kind].path}${film.uid}/publish/${tableSearch(search)}`, { preventScrollReset: true })
  }
  const waiting = isUploading ? 'You can do this as soon as the upload is complete.' : undefined
  return (
    <span className="end">
      <SubmitButton
        className="btn--secondary"
        form={formId}
        intent={watchIntent}
        busyWord="Opening"
        disabled={isUploading}
        title={waiting}
        onClick={preview}
      >
        PREVIEW
      </SubmitButton>
      <SubmitButton
        className={isPublished ? 'btn--danger-line' : 'btn--secondary'}
        form={formId}
        intent="publish"
        busyWord="Opening"
        onClick={publish}
      >
        {isPublished ? 'UNPUBLISH' : 'PUBLISH'}
      </SubmitButton>
      <SubmitButton
        className="btn--primary"
        form={formId}
        intent="save"
        busyWord="Saving"
        disabled={isUploading}
        title={waiting}
      >
        Save
      </SubmitButton>
    </span>
  )
}
