import FoundationEssentials
import LinuxIO
import Preservation
import RepriseControl
import Synchronization
import Varlink

/// Method that copies the state of applications while they run.
final class BackupMethods: Sendable {
    private let applications: ApplicationList
    /// Whether a backup is running. Only one may run at a time, because each backup holds files open.
    private let isRunning = Mutex(false)

    init(applications: ApplicationList) { self.applications = applications }

    func serve(in methods: inout ServedMethods) throws {
        try methods.on(BackupCall.self, isStreaming: true) { call, context in
            guard let stream = context.stream else { throw VarlinkError.expectedMore }
            return try await self.serve(call, over: stream)
        }
    }

    private func serve(
        _ call: BackupCall, over stream: ReplyStream
    ) async throws -> BackupCall.Reply {
        let names = applications.applications.map(\.bundleIdentifier)
        let isFirst = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isFirst else {
            throw ControlError.notBackedUp(
                application: call.application ?? names.first ?? "",
                reason: "another backup is running: try again later")
        }
        defer { isRunning.withLock { $0 = false } }
        if let name = call.application {
            try await send(try applications.find(name), over: stream)
            return BackupCall.Reply()
        }
        var elsewhere: [MovedApplication] = []
        for name in names {
            do {
                try await send(try applications.find(name), over: stream)
            } catch ControlError.ownedElsewhere(let name, let host, _) {
                elsewhere.append(
                    .with {
                        $0.application = name
                        $0.host = host ?? ""
                    })
            }
        }
        if let application = applications.applications.first {
            try await send(leftOut: application.foreignEntries(besides: names), over: stream)
        }
        return .with { $0.elsewhere = elsewhere.isEmpty ? nil : elsewhere }
    }

    private func send(_ application: Application, over stream: ReplyStream) async throws {
        let (files, leftOut) = try await application.openBackup()
        for file in files {
            try await send(file, of: application.bundleIdentifier, over: stream)
        }
        try await send(leftOut: leftOut, over: stream)
    }

    private func send(leftOut paths: [String], over stream: ReplyStream) async throws {
        for path in paths {
            try await stream.reply(
                BackupCall.Reply.with {
                    $0.path = path
                    $0.isLeftOut = true
                })
        }
    }

    private func send(
        _ file: BackupFile, of application: String, over stream: ReplyStream
    ) async throws {
        var offset = 0
        repeat {
            let bytes: [UInt8]
            do throws(IOError) {
                bytes = try file.read(from: offset, limit: BackupCall.chunkBytes)
            } catch {
                throw ControlError.notBackedUp(application: application, reason: "\(error)")
            }
            guard !bytes.isEmpty || file.byteCount == 0 else {
                throw ControlError.notBackedUp(
                    application: application, reason: "another program cut '\(file.path)' off")
            }
            try await stream.reply(
                BackupCall.Reply.with {
                    $0.path = file.path
                    $0.bytes = file.byteCount
                    $0.offset = offset
                    $0.data = Data(bytes).base64EncodedString()
                })
            offset += bytes.count
        } while offset < file.byteCount
    }
}
