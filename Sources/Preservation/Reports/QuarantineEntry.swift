import ExactText
public import FoundationEssentials
import LinuxIO

/// Something that lies in an application's quarantine.
public struct QuarantineEntry: Sendable, Equatable {
    /// A sort of entry of a folder.
    public enum Kind: String, Sendable {
        /// A file.
        case file
        /// A folder.
        case folder
        /// A symbolic link.
        case link
        /// A FIFO, a socket or a device.
        case other
    }

    /// Its name there, by which it can be put back.
    public var name: String
    /// Its path.
    public var path: String
    /// What it is; only a file can be put back.
    public var kind: Kind
    /// Why it is there, as a sentence; nil if nobody left a reason.
    public var reason: String?
    /// When it was put there.
    public var time: Date?
    /// How many bytes it has.
    public var byteCount: Int
}

extension QuarantineEntry.Kind {
    init(_ kind: FileKind) {
        switch kind {
        case .file: self = .file
        case .folder: self = .folder
        case .link: self = .link
        case .other: self = .other
        }
    }
}
