import FoundationEssentials
import LinuxIO
import Preservation
import RepriseControl
import Varlink

/// The method that copies the state of applications while they run.
struct BackupMethods: Sendable {
    let applications: ApplicationList

    func serve(in methods: inout ServedMethods) throws {
        try methods.on(BackupCall.self, isStreaming: true) { call, context in
            guard let stream = context.stream else { throw VarlinkError.expectedMore }
            let chosen =
                try call.application.map { [try applications.find($0)] }
                ?? applications.applications
            for application in chosen {
                for file in try await application.openBackup() {
                    try await send(file, of: application.bundleIdentifier, over: stream)
                }
            }
            return BackupCall.Reply()
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
