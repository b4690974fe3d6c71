import SavedState
public import StateRestoration

extension Application {
    /// What an operator wants to know.
    public func status() -> ApplicationStatus {
        var status = ApplicationStatus(
            bundleIdentifier: bundleIdentifier,
            bundleVersion: definition.bundleVersion, phase: .stopped,
            scenes: hosted?.statuses ?? savedScenes, saved: saver.saved,
            notDurableWrites: Int(archive.writeNumber - archive.durableWriteNumber),
            notDurableSince: notDurableSince, lastPass: saver.lastPass, lastError: saver.lastError)
        if refused != nil { status.lastError = unkeptRefused }
        if status.lastError != nil { status.lastErrorTime = lastErrorTime }
        switch phase {
        case .stopped: break
        case .launching: status.phase = .launching
        case .failed(let reason): status.phase = .failed(reason: reason)
        case .running: status.phase = .running
        }
        return status
    }

    private var savedScenes: [SceneStatus] {
        archive.scenes.map { SceneStatus(name: $0.name, phase: .saved) }
    }

    /// The reserved values of a pass made now (P4).
    public func stamp() -> PassStamp {
        PassStamp(
            bundleVersion: definition.bundleVersion, timestamp: settings.now(),
            systemVersion: settings.systemVersion)
    }
}
