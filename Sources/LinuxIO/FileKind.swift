/// A sort of entry of a folder.
package enum FileKind: String, Sendable, CustomStringConvertible {
    case file
    case folder
    /// A symbolic link.
    case link
    /// A FIFO, a socket or a device.
    case other

    /// What a sentence calls it.
    package var description: String {
        switch self {
        case .file: "a file"
        case .folder: "a folder"
        case .link: "a symbolic link"
        case .other: "a FIFO, a socket or a device"
        }
    }
}
