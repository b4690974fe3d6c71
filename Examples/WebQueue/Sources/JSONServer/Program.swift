import Foundation
import Hummingbird
import Logging
import WebQueue

@main struct Program {
    static func main() async throws {
        let directory = Environment().get("STATE_DIRECTORY") ?? "."
        let store = try JSONFileStore(file: URL(filePath: directory + "/jobs.json"))
        try await runProgram(
            store: store, persist: MemoryPersistDriver(), logger: Logger(label: "webqueue-json"))
    }
}
