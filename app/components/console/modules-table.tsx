import { LaunchButton, LaunchList } from '../modules/launch-form.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { NoPage, PageLink } from '../ui/pages.tsx'

export type ConsoleModule = {
  uid: string
  name: string
  isPublished: boolean
  isComingSoon: boolean
  tags: string[]
  plans: string[]
  author: string | null
  version: string | null
  updatedOn: string
  completions: number
  averageScore: number | null
  previewUid: string | null
}

type Props = { modules: ConsoleModule[]; total: number; after: string | null; next: string | null }

/** For now a table that is read: creating and editing come with their dialogs. */
export function ModulesTable({ modules, total, after, next }: Props) {
  return (
    <>
      <header>
        <h1>Manage Modules</h1>
      </header>
      {modules.length === 0 ? (
        <Empty icon="stack" title={after ? 'There is nothing more' : 'There are no modules yet'}>
          <p>
            {after ? (
              'You have come to the end of this list.'
            ) : (
              <>
                Import a cmi5 package on the command line: <code>npm run modules:import -- FILE.zip</code>
              </>
            )}
          </p>
        </Empty>
      ) : (
        <div className="tablebox">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className="scroller" tabIndex={0} aria-label="Modules">
            <LaunchList>
              <table className="datagrid">
                <Head />
                <tbody>
                  {modules.map((module) => (
                    <Row key={module.uid} module={module} />
                  ))}
                </tbody>
              </table>
            </LaunchList>
          </section>
          <div className="tablefoot">
            <nav className="pages" aria-label="Pages">
              <span className="mr-auto">
                {total} {total === 1 ? 'module' : 'modules'}
              </span>
              <ul>
                <li>{after ? <PageLink to="?" label="First page" icon="left" /> : <NoPage icon="left" />}</li>
                <li>
                  {next ? <PageLink to={`?after=${next}`} label="Next page" icon="right" /> : <NoPage icon="right" />}
                </li>
              </ul>
            </nav>
          </div>
        </div>
      )}
    </>
  )
}

function Head() {
  return (
    <thead>
      <tr>
        <th scope="col" aria-sort="ascending" className="w-1/4">
          Name
        </th>
        <th scope="col">Status</th>
        <th scope="col">Tags</th>
        <th scope="col">Groups with Access</th>
        <th scope="col">Author</th>
        <th scope="col">Version</th>
        <th scope="col">Last Updated</th>
        <th scope="col" className="n">
          Completions
        </th>
        <th scope="col" className="n">
          Avg. score
        </th>
        <th scope="col">
          <span className="sr-only">Actions</span>
        </th>
      </tr>
    </thead>
  )
}

function Row({ module }: { module: ConsoleModule }) {
  const [tag, ...more] = module.tags
  return (
    <tr>
      <td className="lead-cell">
        <span className="name" title={module.name}>
          {module.name}
        </span>
        {module.isComingSoon && <span className="muted">Coming Soon</span>}
      </td>
      <td data-label="Status">
        {module.isPublished ? (
          <span className="chip chip--published">Published</span>
        ) : (
          <span className="chip">Draft</span>
        )}
      </td>
      <td data-label="Tags">
        <span className="flex items-center gap-1">
          {tag && <span className="tag">{tag}</span>}
          {more.length > 0 && (
            <span className="muted" title={more.join(', ')}>
              +{more.length}
            </span>
          )}
        </span>
      </td>
      <td data-label="Groups with Access">
        <span className="two" title={module.plans.join(', ')}>
          {module.plans.join(', ')}
        </span>
      </td>
      <td data-label="Author">{module.author ?? '–'}</td>
      <td data-label="Version">{module.version ?? '–'}</td>
      <td data-label="Last Updated" className="whitespace-nowrap">
        {module.updatedOn}
      </td>
      <td data-label="Completions" className="n">
        {module.completions}
      </td>
      <td data-label="Avg. score" className="n">
        {module.averageScore === null ? 'N/A' : `${module.averageScore}%`}
      </td>
      <td data-label="Preview">
        {module.previewUid && (
          <LaunchButton
            versionUid={module.previewUid}
            intent="preview"
            className="iconbtn"
            label={`Preview ${module.name}`}
          >
            <Icon name="eye" />
          </LaunchButton>
        )}
      </td>
    </tr>
  )
}
