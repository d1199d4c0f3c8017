import { Form, Link, useLocation } from '@remix-run/react'
import { audiencePeopleTable } from '~/forms/audience-tables.ts'
import { longestSearch } from '~/lib/search-query.ts'
import { readTableQuery, tableSearch } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Empty } from '../../ui/empty.tsx'
import { CsrfField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pages } from '../../ui/pages.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { SearchForm } from '../grid/search-form.tsx'
import { addressOf } from '../grid/table-address.tsx'
import type { TableAddress } from '../grid/types.ts'
import { WriteTo } from '../messages/write-to.tsx'
import { RecordTable } from '../modules/record-table.tsx'
import { CloseLink, DialogLink, RouteDialog } from '../route-dialog.tsx'
import { GoneNotice, RuleInWords } from './audience-list.tsx'
import type { AudiencePeopleView, WhyView } from './view.ts'

const section = '/dashboard/audiences/'

/** The page of an audience: its rule, its people, and a search for why somebody is in or out. */
export function AudiencePeople({ audience, rows, total, page, size, standing, explain }: AudiencePeopleView) {
  const { search } = useLocation()
  const path = `${section}${audience.uid}/people/`
  const query = readTableQuery(new URLSearchParams(search), audiencePeopleTable)
  const address: TableAddress = { table: audiencePeopleTable, path, search, query }
  return (
    <>
      <BackLink to={section}>Audiences</BackLink>
      <h1>{audience.name}</h1>
      <p className="mb-2" role="status">
        {audience.people === 0
          ? 'Nobody is in this audience now.'
          : audience.people === 1
            ? 'One person is in this audience now.'
            : `${audience.people.toLocaleString('en')} people are in this audience now.`}
      </p>
      <RuleInWords words={audience.words} />
      {audience.hasGone && <GoneNotice />}
      <div className="flex flex-wrap items-center gap-3 my-4">
        <SearchForm label="Search people" {...address} />
        <span className="flex flex-wrap gap-3 ml-auto">
          {audience.people > 0 && <AssignButton audienceUid={audience.uid} />}
          <WriteTo choose="audience" value={audience.uid}>
            Write to this audience
          </WriteTo>
          <Link className="btn btn--secondary" to={`${section}${audience.uid}/`}>
            <ConsoleIcon name="edit" />
            Edit Audience
          </Link>
        </span>
      </div>
      {rows.length === 0 ? (
        <Empty icon="person" title={query.search === '' ? 'Nobody is in it' : `Nobody found for “${query.search}”`}>
          {query.search === '' ? (
            <p>Whoever meets all conditions appears here.</p>
          ) : (
            <Link className="btn btn--secondary" to={path}>
              Show everybody
            </Link>
          )}
        </Empty>
      ) : (
        <>
          <RecordTable
            label="People"
            heads={['Name', 'Email', 'Institution', 'Access plan']}
            hasActions
            rows={rows.map(({ uid, name, email, institution, plan }) => ({
              id: uid,
              cells: [
                <Link key="name" className="name" to={`/dashboard/users/${uid}/`} discover="none">
                  {name}
                </Link>,
                email,
                institution ?? '–',
                plan ?? '–',
              ],
              actions: <WhyLink path={path} uid={uid} name={name} />,
            }))}
          />
          <Pages {...{ page, size, total }} to={(to) => addressOf(address, { page: to })} />
        </>
      )}
      <Standing audienceUid={audience.uid} standing={standing} />
      <Explain path={path} explain={explain} />
    </>
  )
}

/** Selects everybody who is in the audience now, and leads to the dialog that assigns. */
function AssignButton({ audienceUid }: { audienceUid: string }) {
  const { csrf, brand } = useShell()
  return (
    <Form method="post" action={`${section}${audienceUid}/assign/`}>
      <CsrfField token={csrf} />
      <button className="btn btn--secondary" type="submit">
        {brand.assignVerb} content
      </button>
    </Form>
  )
}

/** What whoever joins the audience later gets, each with a button that stops it. */
function Standing({ audienceUid, standing }: { audienceUid: string; standing: AudiencePeopleView['standing'] }) {
  const { csrf } = useShell()
  if (standing.length === 0) return null
  return (
    <section className="mt-8" aria-labelledby="standing">
      <h2 id="standing">For people who join later</h2>
      <ul className="sortable mt-4">
        {standing.map(({ uid, what, since, joined }) => (
          <li key={uid} className="sortable-row">
            <span className="sortable-name">
              {what}{' '}
              <span className="muted small">
                since {since}, {joined === 1 ? 'one person has' : `${joined.toLocaleString('en')} people have`} joined
              </span>
            </span>
            <Form method="post" action={`${section}${audienceUid}/standing/${uid}/stop/`} preventScrollReset>
              <CsrfField token={csrf} />
              <button className="btn btn--quiet" type="submit" aria-label={`Stop assigning ${what}`}>
                Stop
              </button>
            </Form>
          </li>
        ))}
      </ul>
    </section>
  )
}

function WhyLink({ path, uid, name }: { path: string; uid: string; name: string }) {
  return (
    <DialogLink className="btn btn--quiet" to={`${path}${uid}/`} discover="none">
      Why<span className="sr-only"> {name} is in or out</span>
    </DialogLink>
  )
}

function Explain({ path, explain }: { path: string } & Pick<AudiencePeopleView, 'explain'>) {
  const { search } = useLocation()
  const kept = new URLSearchParams(tableSearch(search))
  return (
    <section className="mt-8" aria-labelledby="explain">
      <h2 id="explain">Why is somebody in or out?</h2>
      <Form
        key={explain?.search ?? ''}
        method="get"
        action={path}
        className="flex flex-wrap items-end gap-3 my-4"
        preventScrollReset
      >
        {[...kept].map(([name, value]) => (
          <input key={name + value} type="hidden" name={name} value={value} />
        ))}
        <div className="field">
          <label htmlFor="explain-person">Name or email</label>
          <input
            id="explain-person"
            className="input"
            type="search"
            name="person"
            defaultValue={explain?.search}
            maxLength={longestSearch}
          />
        </div>
        <button className="btn btn--secondary" type="submit">
          Find
        </button>
      </Form>
      {explain && explain.people.length === 0 && <p className="muted">Nobody found for “{explain.search}”.</p>}
      {explain && explain.people.length > 0 && (
        <RecordTable
          label="People found"
          heads={['Name', 'Email', 'Membership']}
          hasActions
          rows={explain.people.map(({ uid, name, email, isIn }) => ({
            id: uid,
            cells: [
              name,
              email,
              <span key="chip" className={isIn ? 'chip chip--published' : 'chip'}>
                {isIn ? 'In' : 'Out'}
              </span>,
            ],
            actions: <WhyLink path={path} uid={uid} name={name} />,
          }))}
        />
      )}
    </section>
  )
}

/** Why a person is in an audience or not, condition by condition. */
export function WhyDialog({ audienceUid, audience, person, isIn, account, conditions }: WhyView) {
  const closeTo = `${section}${audienceUid}/people/`
  return (
    <RouteDialog
      title={person.name}
      size="lg"
      closeTo={closeTo}
      status={<span className={isIn ? 'chip chip--published' : 'chip'}>{isIn ? 'In' : 'Out'}</span>}
      footer={<CloseLink closeTo={closeTo} />}
    >
      <p className="mb-4">
        {person.name} is {isIn ? 'in' : 'not in'} “{audience}”.{' '}
        {account === 'disabled' && 'The account is disabled, so it is in no audience.'}
        {account === 'invited' && 'The invitation has not been accepted, so this account is in no audience.'}
      </p>
      <RecordTable
        label="Conditions"
        heads={['Condition', 'Met', 'This person']}
        rows={conditions.map(({ condition, isMet, own }, index) => ({
          id: String(index),
          cells: [
            condition,
            <span key="met" className="flex items-center gap-2">
              <Icon name={isMet ? 'check' : 'close'} />
              {isMet ? 'Yes' : 'No'}
            </span>,
            own,
          ],
        }))}
      />
    </RouteDialog>
  )
}
