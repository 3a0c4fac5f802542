// Every screen of a work: settings, and the stream that tells what runs.
import "./settings.js";
import "./running.js";
import { connect } from "./events.js";

connect();
