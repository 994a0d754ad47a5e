import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { wholeStyle } from '../app/style.ts'
import { Notice, Waiting } from './notice.tsx'

/**
 * A component whose module is loaded when it is first drawn: for dialogs, and for parts far down a screen.
 * @param height lines of the placeholder that is shown while the module loads; 0 for an overlay
 * @param fallback renders what is shown while the module loads, and when loading has failed
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  height = 0,
  fallback?: (props: Props) => ComponentChildren,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [state, setState] = useState(Loaded === undefined ? 'waiting' : 'there')
    useEffect(() => {
      if (Loaded !== undefined) return
      Promise.all([load(), wholeStyle()]).then(
        ([component]) => {
          Loaded = component
          setState('there')
        },
        () => setState('broken'),
      )
    }, [])
    if (Loaded !== undefined) return <Loaded {...props} />
    if (fallback !== undefined) return <>{fallback(props)}</>
    if (state === 'broken')
      return <Notice tone="wait" icon="alert" title="This part could not be loaded. Reload the page." />
    return height === 0 ? null : <Waiting lines={height} />
  }
}
