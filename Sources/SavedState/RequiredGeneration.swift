/// A generation that has to be made before anything is written.
enum RequiredGeneration {
    /// A copy of the file as it is.
    case file
    /// The archive that these bytes are, because the file lacked what was pending.
    case state([UInt8])
}
