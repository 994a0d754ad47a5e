import { answerQuestions } from '../../core/thread.ts'
import { type Ranking, rankByText, type Scored } from './rank.ts'

answerQuestions<Ranking, Scored[]>(rankByText)
