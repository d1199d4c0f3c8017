import { Icon } from '../../ui/icon.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import type { VersionView } from './view.ts'

/** Lists all versions of a module, with author, date and the original zip. Earlier versions can be published again. */
export function VersionList({ moduleUid, isComingSoon, learnersToMove, versions }: Props) {
  return (
    <section aria-labelledby="versions" className="versions">
      <h3 id="versions">Versions</h3>
      <ul>
        {versions.map((version) => (
          <li key={version.uid}>
            <span className="num">{version.label}</span>
            <VersionChip version={version} isAnyLive={versions.some(({ status }) => status === 'published')} />
            <span className="what">
              {version.author ?? 'Imported'}, {version.changedOn}
              {version.publishedOn && <span className="muted">, published {version.publishedOn}</span>}
            </span>
            {canBePublished(version) && !isComingSoon && (
              <DialogLink
                className="btn btn--quiet"
                to={`/dashboard/modules/${moduleUid}/versions/${version.uid}/publish/`}
              >
                Publish {version.label}
                {version.publishedOn !== null && ' again'}
              </DialogLink>
            )}
            {canBeDiscarded(version, versions.length) && (
              <DialogLink
                className="btn btn--quiet"
                to={`/dashboard/modules/${moduleUid}/versions/${version.uid}/discard/`}
              >
                Discard {version.label}
              </DialogLink>
            )}
            {canTakeLearners(version) && learnersToMove > 0 && (
              <DialogLink
                className="btn btn--quiet"
                to={`/dashboard/modules/${moduleUid}/versions/${version.uid}/move/`}
              >
                Move learners here
              </DialogLink>
            )}
            {version.file && (
              <a className="btn btn--quiet" href={version.file.address} download>
                <Icon name="download" />
                Download<span className="sr-only"> {version.file.name}</span>
                <span className="muted num">{version.file.size}</span>
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** `learnersToMove` is the number of learners in the middle of a version that is not the published one. */
type Props = { moduleUid: string; isComingSoon: boolean; learnersToMove: number; versions: VersionView[] }

/** New learners get the published version anyway. Learners in another version can be moved to it. */
function canTakeLearners(version: VersionView): boolean {
  return version.status === 'published' && version.package?.status === 'parsed'
}

/** A latest version whose package has errors can be discarded if there is an earlier version. */
function canBeDiscarded({ isLatest, package: pkg }: VersionView, count: number): boolean {
  return isLatest && pkg?.status === 'error' && count > 1
}

/** The latest version has no link here, because the dialog has its own button for it. */
function canBePublished({ status, isLatest, package: pkg }: VersionView): boolean {
  return !isLatest && status === 'draft' && pkg?.status === 'parsed'
}

/**
 * Shows the state of a version. Only the latest can be a draft, unless an earlier version was published again in its
 * place. All others are "Replaced" if they were ever published, or "Superseded" if they never were.
 */
function VersionChip({ version, isAnyLive }: { version: VersionView; isAnyLive: boolean }) {
  if (version.package?.status === 'error') return <StatusChip status="error" />
  const isDraft = version.isLatest && !(version.publishedOn !== null && isAnyLive)
  if (version.status === 'published' || isDraft) return <StatusChip status={version.status} />
  return <StatusChip status="draft" label={version.publishedOn === null ? 'Superseded' : 'Replaced'} />
}
