import { Link } from '@remix-run/react'
import { CoverImage } from '../modules/cover-image.tsx'
import { LaunchList } from '../modules/launch-form.tsx'
import { Titer } from '../ui/titer.tsx'
import type { HomeBand, HomeItem } from './view.ts'

/** The band below the greeting: what the viewer has begun, or the first course for a newcomer. */
export function FirstBand({ band }: { band: HomeBand }) {
  return (
    <section className="band firstband" aria-labelledby="begin">
      <div className="wrap">
        <h2 id="begin">{band.title}</h2>
        {band.why && <p className="muted mt-2">{band.why}</p>}
        <LaunchList>
          <ul className="learnlist">
            {band.items.map((item, index) => (
              <Item key={item.uid} item={item} isFirst={index === 0} />
            ))}
          </ul>
        </LaunchList>
      </div>
    </section>
  )
}

function Item({ item, isFirst }: { item: HomeItem; isFirst: boolean }) {
  const { name, to, percent, action, press } = item
  const style = isFirst ? 'btn btn--primary' : 'btn btn--secondary'
  const label = `${action} ${name}`
  return (
    <li {...(item.phase && { 'data-phase': item.phase })}>
      <CoverImage module={item} isFirst={isFirst} />
      <div>
        <h3>
          <Link to={to}>{name}</Link>
        </h3>
        <p className="small muted">{item.detail}</p>
      </div>
      <div className="p">
        {percent !== null && (
          <>
            <p className="num small mb-1">{item.percentText}</p>
            <Titer percent={percent} label={`${name}, progress`} />
          </>
        )}
      </div>
      <div className="act">
        {item.note && <span className="small muted">{item.note}</span>}
        {!item.note && press && (
          <button className={style} type="submit" name={press.name} value={press.value} aria-label={label}>
            {action}
          </button>
        )}
        {!item.note && !press && (
          <Link className={style} to={to} aria-label={label}>
            {action}
          </Link>
        )}
      </div>
    </li>
  )
}
