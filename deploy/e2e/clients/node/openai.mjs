// OpenAI's own library, the current version.
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { bind } from './vendor.mjs';

export const { open, failure } = bind(OpenAI, zodResponseFormat);
