import { Link, useLocation } from '@remix-run/react'
import {
  longestParameters,
  moveOnValues,
  moveOnWords,
  unitOverrideForm,
  unitOverrideValues,
  unitRulesFormId,
} from '~/forms/unit-override.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { SelectField } from '../../ui/choice-fields.tsx'
import { NumberField } from '../../ui/fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { CloseFooter, CloseLink, RouteDialog } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import { RecordTable } from './record-table.tsx'

type Rules = { masteryScore: number | null; moveOn: string | null; launchParameters: string | null }

type UnitView = { uid: string; title: string; launchMethod: string; inPackage: Rules; override: Rules }

type ListProps = {
  module: { uid: string; name: string }
  version: number | null
  versions: { version: number; isPublished: boolean }[]
  units: UnitView[]
}

/** Lists the completion rules of each unit: those of its package, or those that staff set instead. */
export function UnitRulesList({ module, version, versions, units }: ListProps) {
  const moduleAddress = `/dashboard/modules/${module.uid}/`
  const search = tableSearch(useLocation().search)
  return (
    <RouteDialog
      title={`Units of ${module.name}`}
      size="xl"
      closeTo={moduleAddress}
      footer={<CloseFooter closeTo={moduleAddress} />}
    >
      <div className="formstack">
        <p className="muted">
          Your changes apply to every launch from now on, in this version and in later ones. Units that are open keep
          their old rules until they are closed.
        </p>
        <VersionChoice version={version} versions={versions} />
        {units.length === 0 ? (
          <p className="notice">No package of this module has been read yet.</p>
        ) : (
          <RecordTable
            label={`Units of v${version}`}
            heads={['Unit', 'Move on', 'Mastery score', 'Launch parameters', 'Window']}
            rows={units.map((unit) => ({
              id: unit.uid,
              cells: [
                <span key="title" className="name" title={unit.title}>
                  {unit.title}
                </span>,
                <Value key="moveOn" name="moveOn" unit={unit} />,
                <Value key="masteryScore" name="masteryScore" unit={unit} />,
                <Value key="launchParameters" name="launchParameters" unit={unit} />,
                unit.launchMethod === 'OwnWindow' ? 'Own window' : 'Any window',
              ],
              actions: (
                <Link
                  className="btn btn--quiet"
                  to={`${moduleAddress}units/${unit.uid}/${search}`}
                  aria-label={`Change ${unit.title}`}
                  preventScrollReset
                >
                  Change
                </Link>
              ),
            }))}
            hasActions
          />
        )}
      </div>
    </RouteDialog>
  )
}

function VersionChoice({ version, versions }: Pick<ListProps, 'version' | 'versions'>) {
  const { search } = useLocation()
  if (versions.length < 2) return null
  const addressOf = (number: number) => {
    const params = new URLSearchParams(tableSearch(search))
    params.set('version', String(number))
    return `?${params}`
  }
  return (
    <nav className="headline" aria-label="Versions">
      <ul className="versionlinks">
        {versions.map((one) => (
          <li key={one.version}>
            <Link
              className="btn btn--quiet"
              to={addressOf(one.version)}
              aria-current={one.version === version ? 'page' : undefined}
              preventScrollReset
            >
              v{one.version}
              {one.isPublished && ', published'}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Value({ unit, name }: { unit: UnitView; name: keyof Rules }) {
  const shown = (rules: Rules) => (name === 'moveOn' ? inWords(rules.moveOn) : rules[name])
  const [own, packed] = [shown(unit.override), shown(unit.inPackage)]
  if (own === null) return <span className="two">{packed ?? '–'}</span>
  return (
    <span>
      <strong className="two" title={String(own)}>
        {own}
      </strong>
      <span className="muted two">Package: {packed ?? 'none'}</span>
    </span>
  )
}

function inWords(moveOn: string | null): string | null {
  const known = moveOnValues.find((value) => value === moveOn)
  return known ? moveOnWords[known] : moveOn
}

type FormProps = { module: { uid: string; name: string }; unit: UnitView; revision: number }

export function UnitRulesForm({ module, unit, revision }: FormProps) {
  const refusal = useRefusal()
  // When another person has saved changes, the form is created again with those changes.
  const from = refusal?.values.revision ?? String(revision)
  const formId = unitRulesFormId(from)
  const closeTo = `/dashboard/modules/${module.uid}/units/`
  const { inPackage } = unit
  const inPackageText = (value: string | number | null) => `In the package: ${value ?? 'none'}.`
  return (
    <RouteDialog
      title={`Rules of ${unit.title}`}
      size="md"
      isForm
      closeTo={closeTo}
      footer={
        <span className="end">
          <CloseLink closeTo={closeTo}>Cancel</CloseLink>
          <SubmitButton className="btn--primary" form={formId} intent="save" busyWord="Saving">
            Save
          </SubmitButton>
        </span>
      }
    >
      <ConsoleForm
        key={formId}
        id={formId}
        schema={unitOverrideForm}
        defaults={unitOverrideValues(unit.override)}
        guard={{ noun: 'unit', mode: 'editing' }}
        className="formstack"
      >
        <input type="hidden" name="revision" value={from} />
        <p className="muted">Leave a field empty to use the value from the package.</p>
        <SelectField
          name="moveOn"
          label="Move on"
          hint={`What a learner must do to complete the unit. ${inPackageText(inWords(inPackage.moveOn))}`}
          isOptional
          placeholder="As in the package"
          options={moveOnValues.map((value) => ({ value, label: moveOnWords[value] }))}
        />
        <NumberField
          name="masteryScore"
          label="Mastery score"
          hint={`From 0 to 1, with at most 4 decimals. ${inPackageText(inPackage.masteryScore)}`}
          isOptional
          hasDecimals
        />
        <TextArea
          name="launchParameters"
          label="Launch parameters"
          hint={`Passed to the unit unchanged. ${inPackage.launchParameters === null ? inPackageText(null) : 'The package has its own.'}`}
          isOptional
          maxLength={longestParameters}
        />
        {inPackage.launchParameters !== null && (
          <details>
            <summary className="tick">
              <Icon name="chevron" className="i--turn" />
              Launch parameters in the package
            </summary>
            <pre className="asis">{inPackage.launchParameters}</pre>
          </details>
        )}
      </ConsoleForm>
    </RouteDialog>
  )
}
