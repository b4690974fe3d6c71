import RestorationTesting
import StateRestoration
import Testing

/// Object with a child, a reference to the child, and a value that cannot be saved.
private class Worker: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("count") var count = 0
    let tool = Tool()
    weak var held: Tool?
    var number = 0.0

    func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$count) }

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) { body(tool) }

    func encodeRestorableState(with coder: StateEncoder) throws {
        coder.encode(held, forKey: "held")
        if number.isNaN { coder.encode([Refusing()], forKey: "refusing") }
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        held = try coder.decodeObject(forKey: "held")
    }
}

private final class Tool: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("name") var name = ""

    init() { restoration.identifier = "tool" }

    func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$name) }
}

/// Class of the worker in the next version of the program.
private final class Robot: StateRestoring, AsyncStateRestoring {
    let restoration = RestorationNode()
    @Restorable("fraction", migratingFrom: "count", by: { (count: Int) in Double(count) / 10 })
    var fraction = 0.0
    var isConnected = false

    func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$fraction) }

    func finishRestoring(in scene: Scene) async throws {
        await Task.yield()
        isConnected = true
        if fraction > 1 { throw Refusal() }
    }
}

/// Object with two children whose restoration continues asynchronously.
private final class Office: StateRestoring {
    let restoration = RestorationNode()
    let connections = [Connection("first"), Connection("second")]

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        connections.forEach(body)
    }
}

private final class Connection: StateRestoring, AsyncStateRestoring {
    let restoration = RestorationNode()
    var isConnected = false

    init(_ identifier: RestorationIdentifier) { restoration.identifier = identifier }

    func finishRestoring(in scene: Scene) async throws { isConnected = true }
}

/// Object with two values that cannot be saved.
private final class Unsavable: StateRestoring {
    let restoration = RestorationNode()

    func encodeRestorableState(with coder: StateEncoder) {
        coder.encode([Refusing()], forKey: "first")
        coder.encode([Refusing()], forKey: "second")
    }
}

private struct Refusal: Error, CustomStringConvertible {
    let description = "it is worn out"
}

private struct Refusing: Codable {
    func encode(to encoder: any Encoder) throws { throw Refusal() }
    init() {}
    init(from decoder: any Decoder) throws {}
}

@Suite struct RestoredObjectTests {
    @Test func `an object is restored with its children and references`() async throws {
        let worker = Worker()
        worker.count = 7
        worker.tool.name = "hammer"
        worker.held = worker.tool
        let restored = try await restore(worker) { Worker() }
        #expect(restored.object.count == 7)
        #expect(restored.object.held === restored.object.tool)
        #expect(restored.object.tool.name == "hammer")
        #expect(restored.report.restored == 2)
        #expect(restored.report.unrestored.isEmpty)
        #expect(restored.problems.isEmpty)
    }

    @Test func `P9: a value that cannot be saved is reported, and other values are restored`()
        async throws
    {
        let worker = Worker()
        worker.count = 7
        worker.number = .nan
        let restored = try await restore(worker) { Worker() }
        #expect(restored.object.count == 7)
        #expect(restored.problems.count == 1)
        #expect(restored.problems[0].hasPrefix("object: \"refusing\""))
        #expect(restored.problems[0].contains("it is worn out"))
    }

    @Test func `P9: every value that cannot be saved is reported`() async throws {
        let restored = try await restore(Unsavable()) { Unsavable() }
        #expect(restored.problems.count == 2)
    }

    @Test func `every object finishes its restoration`() async throws {
        let restored = try await restore(Office()) { Office() }
        #expect(restored.object.connections.map(\.isConnected) == [true, true])
    }

    @Test func `P13: an invalid alias is an error`() async throws {
        await #expect(throws: ClassRegistryError.self) {
            try await restore(Worker(), aliases: ["a/b"]) { Robot() }
        }
    }

    @Test func `P13: a later class restores an object through an alias and finishes restoration`()
        async throws
    {
        let worker = Worker()
        worker.count = 7
        let restored = try await restore(worker, aliases: ["Worker"]) { Robot() }
        #expect(restored.object.fraction == 0.7)
        #expect(restored.object.isConnected)
        #expect(restored.report.unrestored.map(\.path) == ["object/tool"])
    }

    @Test func `R5: without an alias, the saved class is reported as missing`() async throws {
        let restored = try await restore(Worker()) { Robot() }
        #expect(restored.report.unrestored.first?.code == .classMissing)
        #expect(!restored.object.isConnected)
    }

    @Test func `R15: the report contains an error thrown by finishRestoring`() async throws {
        let worker = Worker()
        worker.count = 70
        let restored = try await restore(worker, aliases: ["Worker"]) { Robot() }
        let failed = restored.report.entry(for: "object")
        #expect(failed?.code == .decodeFailed)
        #expect(failed?.detail == "it could not finish its restoration: it is worn out")
    }
}
