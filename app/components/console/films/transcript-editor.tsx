import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { captionLanguages } from '~/lib/caption-languages.ts'
import { faultOf, faultsInWords, readTime, readTranscriptFile, transcriptLimits, writeTime } from '~/lib/transcript.ts'
import { SelectField } from '../../ui/choice-fields.tsx'
import { CheckboxField, FieldError, useFormField } from '../../ui/fields.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { FormFileField } from '../form-file-field.tsx'
import { EditorPlayer, type PlayerHandle } from './editor-player.tsx'
import { type EditorLine, editorLines, joinLines, lineAt, newLine, sortLines, splitLines } from './transcript-lines.ts'

type Props = {
  formId: string
  /** The address that the film can be played from, null if there is none. */
  src: string | null
  title: string
  onBusyChange: (isBusy: boolean) => void
}

const name = 'transcript'

/**
 * The transcript of a film, typed beside the film as it plays. It is sent as one text with a line for each time. Without
 * JavaScript this text is the field.
 */
export function TranscriptEditor(props: Props) {
  const isHydrated = useHydrated()
  return (
    <fieldset className="formstack">
      <legend className="legend">Transcript</legend>
      <p className="hint">
        What is said, with the time at which it begins. Leave it empty to show the captions as the transcript.
      </p>
      {isHydrated ? <LiveEditor {...props} /> : <PlainEditor {...props} />}
      <SelectField
        name="transcriptLanguage"
        label="Language of the transcript"
        options={captionLanguages.map(({ code, name }) => ({ value: code, label: name }))}
      />
      <CheckboxField
        name="transcriptAsCaptions"
        label="Use as captions, too"
        hint="Each line is shown until the next one begins, for ten seconds at most."
      />
    </fieldset>
  )
}

function PlainEditor({ formId, onBusyChange }: Props) {
  return (
    <>
      <TextArea
        name={name}
        label="Lines"
        hint="Begin each line with its time: 01:30 What is said then."
        isOptional
        rows={14}
        hasCounter={false}
      />
      <FormFileField
        name="transcriptFile"
        kind="transcript"
        label="Transcript from a file"
        hint="A WebVTT file, or a text file with such lines (.vtt or .txt). It replaces the lines above."
        formId={formId}
        value={null}
        onBusyChange={onBusyChange}
      />
    </>
  )
}

function LiveEditor({ src, title }: Props) {
  const id = useId()
  const { error, defaultValue, clearError } = useFormField(name, {}, { focus: () => focusLine(0) })
  const [lines, setLines] = useState<EditorLine[]>(() => splitLines(String(defaultValue ?? '')))
  /** The lines before the last removal, for Undo. */
  const [before, setBefore] = useState<{ lines: EditorLine[]; sentence: string } | null>(null)
  const [fileFault, setFileFault] = useState<string | null>(null)
  const [current, setCurrent] = useState(-1)
  const player = useRef<PlayerHandle | null>(null)
  const root = useRef<HTMLDivElement>(null)
  const undo = useRef<HTMLButtonElement>(null)
  const focusOn = useRef<number | null>(null)
  const text = joinLines(lines)

  const change = (next: EditorLine[]) => {
    clearError()
    setLines(next)
  }
  const replace = (next: EditorLine[], sentence: string) => {
    setBefore({ lines, sentence })
    change(next)
  }
  const setLine = (line: EditorLine) => change(lines.map((one) => (one.id === line.id ? line : one)))
  const addLine = () => {
    const line = newLine(writeTime(player.current?.position() ?? 0))
    focusOn.current = line.id
    setBefore(null)
    change(sortLines([...lines, line]))
  }
  const readFile = async (file: File) => {
    if (file.size > 1024 * 1024) return setFileFault('File too large')
    const read = readTranscriptFile(file.name, await file.text())
    setFileFault(read.faults.length > 0 ? faultsInWords(read.faults) : null)
    if (read.faults.length === 0) replace(editorLines(read.lines), `The lines of ${file.name} replace what was here.`)
  }
  function focusLine(index: number) {
    root.current?.querySelectorAll<HTMLElement>('[data-line] textarea')[index]?.focus()
  }
  useEffect(() => {
    if (focusOn.current === null) return
    root.current?.querySelector<HTMLElement>(`[data-line="${focusOn.current}"] textarea`)?.focus()
    focusOn.current = null
  })
  useEffect(() => {
    if (before) undo.current?.focus()
  }, [before])
  const isAddKey = (event: KeyboardEvent) => event.key === 'Enter' && (event.ctrlKey || event.metaKey)
  // The code, because on a Mac Alt changes the letter.
  const isPlayKey = (event: KeyboardEvent) =>
    event.code === 'KeyP' && event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut of the fields inside
    <div
      ref={root}
      className="formstack"
      onKeyDown={(event) => {
        if (!isAddKey(event) && !isPlayKey(event)) return
        event.preventDefault()
        if (isAddKey(event)) addLine()
        else player.current?.toggle()
      }}
    >
      <textarea hidden name={name} value={text} readOnly />
      <EditorPlayer src={src} title={title} handle={player} onTime={(seconds) => setCurrent(lineAt(lines, seconds))}>
        <button
          type="button"
          className="btn btn--secondary"
          aria-keyshortcuts="Alt+P"
          disabled={src === null}
          onClick={() => player.current?.toggle()}
        >
          <ConsoleIcon name="film" />
          Play or pause
        </button>
        <button
          type="button"
          className="btn btn--secondary"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          disabled={lines.length >= transcriptLimits.lines}
          onClick={addLine}
        >
          <ConsoleIcon name="plus" />
          <span>
            Add line<span className="sr-only"> at the current time</span>
          </span>
        </button>
      </EditorPlayer>
      <div>
        <label className="btn btn--secondary">
          <ConsoleIcon name="upload" />
          Read from a file
          <input
            className="sr-only"
            type="file"
            accept=".vtt,.txt"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? []
              event.currentTarget.value = ''
              if (file) readFile(file)
            }}
          />
        </label>
      </div>
      <p className="hint">
        A line gets the current time of the film. While you type, Alt+P plays and pauses, and Ctrl+Enter adds a line.
        Files are WebVTT, or text with lines such as 01:30 Hello.
      </p>
      <FieldError id={`${id}-file`} error={fileFault ?? undefined} />
      <FieldError id={id} error={error} />
      {before && (
        <p className="notice" role="status">
          <span>{before.sentence}</span>
          <button
            ref={undo}
            type="button"
            className="btn btn--quiet"
            onClick={() => {
              change(before.lines)
              setBefore(null)
            }}
          >
            Undo
          </button>
        </p>
      )}
      {lines.length === 0 ? (
        <p className="muted">There are no lines yet. Play the film, and add a line when something is said.</p>
      ) : (
        <ol className="grid gap-2" aria-label="Lines of the transcript">
          {lines.map((line, index) => (
            <Line
              key={line.id}
              line={line}
              number={index + 1}
              isCurrent={index === current}
              canPlay={src !== null}
              onChange={setLine}
              onTimeLeft={() => change(sortLines(lines))}
              onNow={() =>
                change(
                  sortLines(
                    lines.map((one) =>
                      one.id === line.id ? { ...one, time: writeTime(player.current?.position() ?? 0) } : one,
                    ),
                  ),
                )
              }
              onJump={() => player.current?.seek(readTime(line.time) ?? 0)}
              onRemove={() =>
                replace(
                  lines.filter((one) => one.id !== line.id),
                  `Line ${index + 1} was removed.`,
                )
              }
            />
          ))}
        </ol>
      )}
    </div>
  )
}

type LineProps = {
  line: EditorLine
  number: number
  isCurrent: boolean
  canPlay: boolean
  onChange: (line: EditorLine) => void
  onTimeLeft: () => void
  onNow: () => void
  onJump: () => void
  onRemove: () => void
}

function Line({ line, number, isCurrent, canPlay, onChange, onTimeLeft, onNow, onJump, onRemove }: LineProps) {
  const id = useId()
  // A line that is being typed is not wrong yet.
  const [wasLeft, setLeft] = useState(line.text !== '')
  const fault = wasLeft ? faultOf(readTime(line.time), line.text.trim()) : null
  const described = fault ? { 'aria-invalid': true as const, 'aria-describedby': `${id}-error` } : {}
  return (
    <li data-line={line.id} aria-current={isCurrent ? 'true' : undefined} className="transcriptline">
      <input
        className="input num"
        aria-label={`Time of line ${number}`}
        value={line.time}
        maxLength={12}
        placeholder="00:00"
        {...described}
        onChange={(event) => onChange({ ...line, time: event.currentTarget.value })}
        onBlur={onTimeLeft}
      />
      <textarea
        className="input"
        aria-label={`Text of line ${number}`}
        rows={1}
        value={line.text}
        maxLength={transcriptLimits.text}
        {...described}
        onChange={(event) => onChange({ ...line, text: event.currentTarget.value.replace(/\s*\n\s*/g, ' ') })}
        onBlur={() => setLeft(true)}
      />
      <span className="flex">
        <button
          type="button"
          className="iconbtn"
          aria-label={`Set line ${number} to the current time`}
          title="Set to the current time"
          disabled={!canPlay}
          onClick={onNow}
        >
          <ConsoleIcon name="clock" />
        </button>
        <button
          type="button"
          className="iconbtn"
          aria-label={`Play from line ${number}`}
          title="Play from here"
          disabled={!canPlay || readTime(line.time) === null}
          onClick={onJump}
        >
          <ConsoleIcon name="film" />
        </button>
        <button
          type="button"
          className="iconbtn"
          aria-label={`Remove line ${number}`}
          title="Remove"
          onClick={onRemove}
        >
          <ConsoleIcon name="trash" />
        </button>
      </span>
      {fault && (
        <p className="error" id={`${id}-error`}>
          {fault}
        </p>
      )}
    </li>
  )
}
