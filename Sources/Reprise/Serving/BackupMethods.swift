import FoundationEssentials
import LinuxIO
import Preservation
import RepriseControl
import Varlink

/// Method for backing up the state of applications while they are running.
extension ControlImplementation {
    func backup(
        _ call: BackupCall, _ context: CallContext, _ replies: ReplySender<BackupCall.Reply>
    ) async throws -> BackupCall.Reply {
        let names = applications.applications.map(\.bundleIdentifier)
        guard backupLock.acquire() else {
            throw ControlError.notBackedUp(
                application: call.application ?? names.first ?? "",
                reason: "another backup is running: try again later")
        }
        defer { backupLock.release() }
        if let name = call.application {
            try await send(try applications.find(name), over: replies)
            return BackupCall.Reply()
        }
        var movedApplications: [MovedApplication] = []
        for name in names {
            do {
                try await send(try applications.find(name), over: replies)
            } catch ControlError.ownedElsewhere(let name, let host, _) {
                movedApplications.append(MovedApplication(application: name, host: host ?? ""))
            }
        }
        if let application = applications.applications.first {
            try await send(
                omittedPaths: application.foreignEntries(excluding: names), over: replies)
        }
        return .with { $0.elsewhere = movedApplications.isEmpty ? nil : movedApplications }
    }

    private func send(_ application: Application, over replies: ReplySender<BackupCall.Reply>)
        async throws
    {
        let (files, omittedPaths) = try await application.openBackup()
        for file in files {
            try await send(file, of: application.bundleIdentifier, over: replies)
        }
        try await send(omittedPaths: omittedPaths, over: replies)
    }

    private func send(omittedPaths paths: [String], over replies: ReplySender<BackupCall.Reply>)
        async throws
    {
        for path in paths {
            try await replies.send(
                BackupCall.Reply(path: path, bytes: 0, offset: 0, data: "", isLeftOut: true))
        }
    }

    private func send(
        _ file: BackupFile, of application: String, over replies: ReplySender<BackupCall.Reply>
    ) async throws {
        var offset = 0
        repeat {
            let bytes: [UInt8]
            do throws(IOError) {
                bytes = try file.read(from: offset, limit: BackupCall.maximumChunkBytes)
            } catch {
                throw ControlError.notBackedUp(application: application, reason: "\(error)")
            }
            guard !bytes.isEmpty || file.byteCount == 0 else {
                throw ControlError.notBackedUp(
                    application: application, reason: "another program truncated '\(file.path)'")
            }
            try await replies.send(
                BackupCall.Reply(
                    path: file.path, bytes: file.byteCount, offset: offset,
                    data: Data(bytes).base64EncodedString()))
            offset += bytes.count
        } while offset < file.byteCount
    }
}
