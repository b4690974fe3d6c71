import ExactText
package import LinuxIO

/// Event that concerns an archive's file and that an operator should know about.
package enum ArchiveIncident: Sendable, Equatable, CustomStringConvertible {
    /// Another program changed, replaced or removed the file. The changed or new file, if there is one, is in
    /// quarantine.
    case changedExternally(reason: String, quarantinePath: String?)
    /// Checking for changes by other programs failed. The file is assumed to be unchanged.
    case checkFailed(IOError)
    /// Files that are no longer needed could not be removed.
    case cleanupFailed(IOError)
    /// The file has other hard links, whose contents must not change. The next write replaces the file with a complete
    /// new file.
    case hasHardLinks
    /// A sync failed. The next write replaces the file with a complete new file.
    case syncFailed(IOError)
    /// A complete new file was written because the previous file could no longer be trusted.
    case rewritten
    /// Obsolete records were removed from the file. The values are the file's lengths in bytes before and after the
    /// compaction.
    case compacted(from: Int, to: Int)
    /// A compaction failed. The saved state is unchanged.
    case compactionFailed(reason: String)
    /// The file system cannot exchange names, so the file cannot be compacted. The file is unchanged.
    case compactionUnsupported

    /// Description of the event. In a message, it follows the archive's path and a colon.
    package var description: String {
        switch self {
        case .changedExternally(let reason, let quarantinePath?):
            """
            another program changed or replaced it (\(reason)); the file is in quarantine as \
            \(quarantinePath), and the live state is saved
            """
        case .changedExternally(let reason, nil):
            "another program removed it (\(reason)); the live state is saved again"
        case .checkFailed(let error):
            "it is not known whether another program changed it: \(error)"
        case .cleanupFailed(let error):
            """
            files next to it that are no longer needed could not be removed; this is harmless, and \
            the removal is retried: \(error)
            """
        case .hasHardLinks:
            """
            it has other names (hard links), which retain its current contents; a new file \
            replaces it
            """
        case .syncFailed(let error):
            "its contents can no longer be trusted, and a new file replaces it: \(error)"
        case .rewritten: "a new file replaced it and is durable"
        case .compacted(let from, let to): "compacted from \(from) to \(to) bytes"
        case .compactionFailed(let reason): "could not be compacted: \(reason)"
        case .compactionUnsupported:
            """
            its file system cannot exchange the names of two files, so it is not compacted; when it \
            is far longer than necessary, a new file replaces it
            """
        }
    }
}

/// List of the incidents that the archive has not returned yet.
final class ArchiveIncidents {
    private var pendingIncidents: [ArchiveIncident] = []
    /// Incidents about changes by other programs. They are not returned before the state has been saved.
    private var deferredIncidents: [ArchiveIncident] = []

    /// Whether any incident has been deferred.
    var hasDeferredIncidents: Bool { !deferredIncidents.isEmpty }

    /// Adds an incident that is not returned until ``releaseDeferredIncidents()`` has been called.
    func appendDeferred(_ incident: ArchiveIncident) { deferredIncidents.append(incident) }

    /// Makes the deferred incidents available, because the state has been saved.
    func releaseDeferredIncidents() {
        for incident in deferredIncidents { append(incident) }
        deferredIncidents = []
    }

    /// Adds an incident unless it equals the last incident.
    func append(_ incident: ArchiveIncident) {
        if pendingIncidents.last != incident { pendingIncidents.append(incident) }
    }

    /// Returns and removes the incidents that have been added since the last call.
    func popAll() -> [ArchiveIncident] {
        defer { pendingIncidents = [] }
        return pendingIncidents
    }
}
