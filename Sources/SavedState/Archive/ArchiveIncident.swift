import ExactText
package import LinuxIO

/// Something that happened to an archive's file and that a person should know.
package enum ArchiveIncident: Sendable, Equatable, CustomStringConvertible {
    /// Another program changed or replaced the file; what it left lies in quarantine.
    case changedExternally(reason: String, quarantinedAs: String?)
    /// Whether the name stands for the file could not be found out; it was made durable all the
    /// same.
    case notLookedAt(IOError)
    /// What lies beside it and is not needed any more could not be taken away.
    case leftover(IOError)
    /// The file has other names (hard links), which must not change with it: a whole new file takes
    /// its place.
    case otherNames
    /// What was written could not be made durable; a whole new file takes the place of this one.
    case syncFailed(IOError)
    /// A whole new file was written after the one before could not be trusted any more.
    case rewritten
    /// What no longer counts was left out of the file.
    case compacted(from: Int, to: Int)
    /// That failed; the file is as it was.
    case compactionFailed(reason: String)
    /// Its file system cannot exchange names, which compaction needs; the file is as it was.
    case compactionUnsupported

    /// A clause that follows the archive's path and a colon.
    package var description: String {
        switch self {
        case .changedExternally(let reason, let quarantinedAs?):
            """
            another program changed or replaced it (\(reason)); the file is in quarantine as \
            \(quarantinedAs), and the live state is saved
            """
        case .changedExternally(let reason, nil):
            "another program removed it (\(reason)); the live state is saved again"
        case .notLookedAt(let error):
            "it is not known whether another program changed it: \(error)"
        case .leftover(let error):
            """
            files next to it that are not needed any more could not be removed, which is harmless, \
            and is tried again: \(error)
            """
        case .otherNames:
            """
            it has other names (hard links); they keep its present contents, and a new file \
            replaces it
            """
        case .syncFailed(let error):
            "it is not trusted any more, and a new file replaces it: \(error)"
        case .rewritten: "a new file replaced it and is durable"
        case .compacted(let from, let to): "compacted from \(from) to \(to) bytes"
        case .compactionFailed(let reason): "could not be compacted: \(reason)"
        case .compactionUnsupported:
            """
            its file system cannot exchange two names, so it is not compacted; when it is far \
            longer than necessary, a new file replaces it
            """
        }
    }
}

/// What happened to an archive's file and was not asked for yet.
final class ArchiveIncidents {
    private var all: [ArchiveIncident] = []

    /// Something happened; what is met again at once is told once.
    func append(_ incident: ArchiveIncident) {
        if all.last != incident { all.append(incident) }
    }

    /// What happened since this was last asked.
    func take() -> [ArchiveIncident] {
        defer { all = [] }
        return all
    }
}
