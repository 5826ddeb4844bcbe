// OpenAI's own library, an older version that other libraries still use.
import OpenAI from 'openai5';
import { zodResponseFormat } from 'openai5/helpers/zod';
import { bind } from './vendor.mjs';

export const { open, failure } = bind(OpenAI, zodResponseFormat);
