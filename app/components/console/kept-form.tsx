import { type KeptForm as Form, labelFieldOf } from '~/forms/kept-form.ts'
import { Icon } from '../ui/icon.tsx'

/**
 * Without JavaScript: shows all values of a form that was posted after the session ended, to send again after signing
 * in.
 */
export function KeptForm({ form }: { form: Form }) {
  const { labels } = form
  const isShown = ([name, value]: [string, string]) => Object.hasOwn(labels, name) && value !== ''
  return (
    <div className="wrap keptform">
      <h1>You have been logged out</h1>
      <div className="notice notice--error" role="alert">
        <Icon name="alert" />
        <p>
          <strong>Nothing has been saved yet. Your changes are still here.</strong>
          <a href={form.login} target="_blank" rel="noreferrer">
            Log in in another tab
          </a>
          , then return to this tab and press Continue. The form will appear again with everything you typed, ready to
          save. If you had just chosen a file, choose it again.
        </p>
      </div>
      <form method="post" action={form.action} encType="multipart/form-data" className="formstack">
        {form.fields.map((field, index) =>
          isShown(field) ? (
            <div className="field" key={index}>
              <label htmlFor={`kept-${index}`}>{labels[field[0]]}</label>
              <textarea
                id={`kept-${index}`}
                className="input"
                name={field[0]}
                defaultValue={field[1]}
                rows={field[1].length > 80 ? 4 : 1}
              />
            </div>
          ) : (
            <input key={index} type="hidden" name={field[0]} value={field[1]} />
          ),
        )}
        {Object.entries(labels).map(([name, label]) => (
          <input key={name} type="hidden" name={labelFieldOf(name)} value={label} />
        ))}
        <p>
          <button className="btn btn--primary" type="submit">
            Continue
          </button>
        </p>
      </form>
    </div>
  )
}
