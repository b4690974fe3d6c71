import Preservation
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing

@Suite struct ObjectListTests {
    /// Object that is created at run time and refers to another object.
    private final class Session: StateRestoring {
        let restoration = RestorationNode()
        let name: String
        weak var next: Session?
        @Restorable("count") var count = 0

        init(_ name: String) {
            self.name = name
        }

        func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$count) }

        func encodeRestorableState(with coder: StateEncoder) {
            coder.encode(next, forKey: "next")
        }

        func decodeRestorableState(with coder: StateDecoder) throws {
            next = try coder.decodeObject(forKey: "next")
        }
    }

    /// The same object with a different class name, in a later version of the program.
    private final class Renamed: StateRestoring {
        let restoration = RestorationNode()
        @Restorable("count") var count = 0

        func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$count) }
    }

    /// Object that several calls of a closure return. It is used only on the application's actor.
    private final class SharedSession: @unchecked Sendable {
        let session = Session("shared")
    }

    private struct Refusal: Error {}

    private static let sessions: ObjectKey<Session> = "sessions"

    private func withSessions(
        in scratch: ScratchDirectory,
        make: @escaping @Sendable (String) throws -> Session? = { Session($0) },
        _ body: (Application) async throws -> Void
    ) async throws {
        try await withProgram(in: scratch) { _ in
        } register: { objects in
            try objects.list(Self.sessions, make: make)
        } _: { application, _ async throws in
            try await application.waitUntilReady()
            try await body(application)
        }
    }

    private func names(_ application: Application) async throws -> [String] {
        try await application.perform {
            $0.list(Self.sessions)?.objects.map { "\($0.name) \($0.count)" } ?? []
        }.result
    }

    @Test func `R7: objects of a list are restored in order, with their references`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withSessions(in: scratch) { (application: Application) async throws in
                #expect(try await names(application) == [])
                try await application.perform { scene in
                    let list = try #require(scene.list(Self.sessions))
                    for name in ["c", "a", "d", "b"] { try list.add(name).count = 1 }
                    list["c"]?.next = list["b"]
                }
                try await application.perform { scene in
                    let list = try #require(scene.list(Self.sessions))
                    #expect(list.remove("a")?.name == "a")
                    #expect(list.remove("a") == nil)
                    try list.add("e").next = list["c"]
                    list["b"]?.count += 1
                }
            }
            for _ in 0..<2 {
                try await withSessions(in: scratch) { (application: Application) async throws in
                    #expect(try await names(application) == ["c 1", "d 1", "b 2", "e 0"])
                    let next = try await application.perform { scene in
                        let list = scene.list(Self.sessions)
                        return [list?["c"]?.next?.name, list?["e"]?.next?.name]
                    }.result
                    #expect(next == ["b", "c"])
                    #expect(try await application.report().recorded == 5)
                    #expect(try await application.report().unrestored.isEmpty)
                }
            }
        }
    }

    @Test func `a list refuses an object that it already contains`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let shared = SharedSession()
            try await withSessions(in: scratch) { _ in
                shared.session
            } _: { (application: Application) async throws in
                try await application.perform { scene in
                    let list = try #require(scene.list(Self.sessions))
                    try list.add("a")
                    let failure = #expect(throws: ObjectListError.self) { try list.add("b") }
                    #expect(failure?.list == "sessions")
                    #expect(failure?.object == "b")
                    #expect(list["b"] == nil)
                    #expect(list.objects.count == 1)
                }
            }
        }
    }

    @Test
    func
        `R16: an object that is not created waits for a later launch, and a gone object is removed`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withSessions(in: scratch) { (application: Application) async throws in
                try await application.perform { scene in
                    for name in ["1", "2", "3", "4"] {
                        try scene.list(Self.sessions)?.add(name).count = 7
                    }
                }
            }
            try await withSessions(in: scratch) { name in
                switch name {
                case "1": return nil
                case "2": throw Refusal()
                case "3": throw RestorationError.gone
                default: return Session(name)
                }
            } _: { (application: Application) async throws in
                #expect(try await names(application) == ["4 7"])
                let lost = try await application.report().unrestored
                #expect(lost.map(\.path.description) == ["sessions/1", "sessions/2"])
                #expect(lost.map(\.code) == [.noObject, .noObject])
                #expect(lost.last.map { "\($0)" }?.contains("Refusal") == true, "\(lost)")
            }
            try await withSessions(in: scratch) { (application: Application) async throws in
                #expect(try await names(application) == ["1 7", "2 7", "4 7"])
            }
        }
    }

    @Test func `an object whose identifier is taken, invalid or refused is not added`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withSessions(in: scratch) {
                $0 == "none" ? nil : Session($0)
            } _: { (application: Application) async throws in
                try await application.perform { scene in
                    let list = try #require(scene.list(Self.sessions))
                    try list.add("a")
                    #expect(throws: RegistrationError.self) { _ = try list.add("a") }
                    #expect(throws: RestorationIdentifierError.self) { try list.add("a/b") }
                    #expect(throws: ObjectListError.self) { try list.add("none") }
                }
                #expect(try await names(application) == ["a 0"])
            }
        }
    }

    @Test func `a list whose identifier is taken or invalid is refused`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) { _ in
            } register: { objects in
                try objects.list(Self.sessions) { Session($0) }
                #expect(throws: RegistrationError.self) {
                    try objects.list(Self.sessions) { Session($0) }
                }
                #expect(throws: RestorationIdentifierError.self) {
                    try objects.list("a/b") { Session($0) }
                }
            } _: { (application: Application, _) async throws in
                try await application.waitUntilReady()
            }
        }
    }

    @Test func `P13: objects are restored as another class that has their class name as an alias`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) { _ in
            } register: { objects in
                try objects.list(Self.sessions) { Session($0) }
                try objects.add(Session("one"), as: "one")
            } _: { application, _ async throws in
                try await application.waitUntilReady()
                try await application.perform(with: ObjectKey<Session>("one")) { $0.count = 3 }
                try await application.perform { try $0.list(Self.sessions)?.add("a").count = 4 }
            }
            let key: ObjectKey<Renamed> = "sessions"
            let one: ObjectKey<Renamed> = "one"
            try await withProgram(in: scratch) { _ in
            } register: { objects in
                try objects.list(key, aliases: ["Session"]) { _ in Renamed() }
                try objects.add(Renamed(), as: one, aliases: ["Session"])
            } _: { application, _ async throws in
                try await application.waitUntilReady()
                #expect(try await application.report().unrestored.isEmpty)
                #expect(try await application.perform(with: one) { $0.count }.result == 3)
                let count = try await application.perform { $0.list(key)?["a"]?.count }.result
                #expect(count == 4)
            }
        }
    }

    @Test func `P13: an alias that another class already has is refused`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) { _ in
            } register: { objects in
                try objects.add(Session("one"), as: "one", aliases: ["Agent"])
                #expect(throws: ClassRegistryError.self) {
                    try objects.add(Renamed(), as: "other", aliases: ["Agent"])
                }
                #expect(throws: ClassRegistryError.self) {
                    try objects.list("others", aliases: ["Agent"]) { _ in Renamed() }
                }
            } _: { (application: Application, _) async throws in
                try await application.waitUntilReady()
            }
        }
    }

    @Test func `an error about an object that was not added names its key and class`() async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withSessions(in: scratch) { (application: Application) async throws in
                let error = await #expect(throws: ApplicationError.self) {
                    try await application.perform(with: ObjectKey<Session>("other")) {
                        $0.count = 1
                    }
                }
                #expect(
                    error.map { "\($0)" }?.contains("no object \"other\" of the class Session")
                        == true)
            }
        }
    }

    @Test
    func `L6: the closure-based initializer supports scenes, a model and a version condition`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            func run(
                version: String, _ body: (Application) async throws -> Void
            ) async throws {
                let application = try Application(
                    bundleIdentifier: "org.example.Sessions", bundleVersion: version,
                    stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                    scenes: ["left", "right"], logger: .quiet
                ) { objects in
                    #expect(objects.model is Model)
                    objects.restore { $0.bundleVersion != "1" || objects.scene.name == "left" }
                    try objects.list(Self.sessions) { Session($0) }
                } makeModel: { _ in
                    Model()
                }
                let services = ServiceGroup(services: [application], logger: .quiet)
                async let running: Void = services.run()
                try await application.waitUntilReady()
                try await body(application)
                await services.triggerGracefulShutdown()
                try await running
            }
            try await run(version: "1") { application async throws in
                for scene in ["left", "right"] {
                    try await application.perform(on: scene) {
                        _ = try $0.list(Self.sessions)?.add("a")
                    }
                }
            }
            try await run(version: "2") { application async throws in
                let left = try await application.perform(on: "left") {
                    $0.list(Self.sessions)?.objects.count
                }.result
                let right = try await application.perform(on: "right") {
                    $0.list(Self.sessions)?.objects.count
                }.result
                #expect(left == 1)
                #expect(right == 0)
                #expect(try await application.report(scene: "right").isRefused)
            }
        }
    }
}

private final class Model: ApplicationModel {
    let hasChanges = false

    func saveChanges() {}
}
