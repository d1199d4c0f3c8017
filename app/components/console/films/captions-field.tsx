import { useEffect, useId, useRef, useState } from 'react'
import { captionsField } from '~/forms/film-media.ts'
import { captionLanguages, languageName } from '~/lib/caption-languages.ts'
import { Options, SelectField } from '../../ui/choice-fields.tsx'
import { Field, FieldError, useFormField } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { useRefusal } from '../console-form.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { FormFileField } from '../form-file-field.tsx'
import type { FilmMediaView } from './view.ts'

type Props = {
  formId: string
  captions: FilmMediaView['captions']
  onBusyChange: (isBusy: boolean) => void
}

const fileHint = 'A WebVTT file (.vtt), at most 1 MB.'

/**
 * The captions of a film: a file for each language. Without JavaScript the form has a field for each language that the
 * film has, and one for another; it can be saved again for more.
 */
export function CaptionsField({ formId, captions, onBusyChange }: Props) {
  const id = useId()
  const refusal = useRefusal(formId)
  const isHydrated = useHydrated()
  const given = captions.map(({ language }) => language)
  const sent = captionLanguages.map(({ code }) => code).filter((code) => refusal?.values[captionsField(code)])
  const [languages, setLanguages] = useState<string[]>([...new Set([...given, ...sent])])
  const busy = useRef(new Set<string>())
  const note = (language: string) => (isBusy: boolean) => {
    if (isBusy) busy.current.add(language)
    else busy.current.delete(language)
    onBusyChange(busy.current.size > 0)
  }
  // A save of somebody else may have added one.
  const all = [...new Set([...languages, ...given])]
  const fileOf = (language: string) => captions.find((one) => one.language === language)?.file ?? null
  return (
    <fieldset className="formstack" aria-describedby={`${id}-hint`}>
      <legend className="legend">Captions</legend>
      <p className="hint" id={`${id}-hint`}>
        Captions are for people who cannot hear the film, and for everybody who watches without sound. Films at Vimeo
        show the captions that were uploaded there.
      </p>
      {all.map((language) => (
        <div key={language}>
          <FormFileField
            name={captionsField(language)}
            kind="captions"
            label={languageName(language)}
            hint={fileHint}
            formId={formId}
            value={fileOf(language)}
            onBusyChange={note(language)}
          />
          {all.length > 1 && <FirstChoice language={language} isFirst={language === all[0]} />}
        </div>
      ))}
      <FieldError id={id} error={useFormField('captions').error} />
      {isHydrated ? (
        <AddLanguage
          taken={all}
          onAdd={(language) => setLanguages((before) => [...new Set([...before, ...given, language])])}
        />
      ) : (
        <div className="formgrid">
          <SelectField
            name="captionsNewLanguage"
            label={all.length === 0 ? 'Language' : 'Another language'}
            isOptional
            placeholder="Choose a language"
            options={optionsWithout(all)}
          />
          <FormFileField
            name="captionsNew"
            kind="captions"
            label="Captions in this language"
            hint={fileHint}
            formId={formId}
            value={null}
            onBusyChange={note('new')}
          />
        </div>
      )}
    </fieldset>
  )
}

function optionsWithout(taken: string[]) {
  return captionLanguages
    .filter(({ code }) => !taken.includes(code))
    .map(({ code, name }) => ({ value: code, label: name }))
}

function FirstChoice({ language, isFirst }: { language: string; isFirst: boolean }) {
  const { defaultValue, onChange } = useFormField('captionsFirst')
  return (
    <label className="choice">
      <input
        type="radio"
        name="captionsFirst"
        value={language}
        defaultChecked={defaultValue ? defaultValue === language : isFirst}
        onChange={onChange}
      />
      <span>Show {languageName(language)} first</span>
    </label>
  )
}

function AddLanguage({ taken, onAdd }: { taken: string[]; onAdd: (language: string) => void }) {
  const id = useId()
  const [added, setAdded] = useState<string | null>(null)
  const options = optionsWithout(taken)
  const [chosen, setChosen] = useState('')
  const language = options.some(({ value }) => value === chosen) ? chosen : (options[0]?.value ?? '')
  // The focus moves to the file that is to be chosen now.
  useEffect(() => {
    if (added === null) return
    document.querySelector<HTMLElement>(`[aria-label="Choose a file: ${languageName(added)}"]`)?.focus()
    setAdded(null)
  }, [added])
  if (options.length === 0) return null
  return (
    <Field id={id} label={taken.length === 0 ? 'Language' : 'Another language'}>
      <div className="flex flex-wrap gap-2">
        <select
          id={id}
          className="input w-auto"
          value={language}
          onChange={(event) => setChosen(event.currentTarget.value)}
        >
          <Options options={options} />
        </select>
        <button
          type="button"
          className="btn btn--secondary"
          onClick={() => {
            onAdd(language)
            setAdded(language)
          }}
        >
          <ConsoleIcon name="plus" />
          Add captions
        </button>
      </div>
    </Field>
  )
}
