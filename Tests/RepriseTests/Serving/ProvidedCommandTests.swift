import ControllerKit
import Preservation
import RepriseControl
import StateRestoration
import Testing

@testable import Reprise

/// Commands that objects provide, as the control socket calls them.
@Suite struct ProvidedCommandTests {
    private let worker = Worker()
    private let commands: SceneCommandRunner
    private let delegate: RegisteringDelegate

    init() throws {
        let (worker, idle) = (worker, Idle())
        delegate = RegisteringDelegate {
            try $0.add(worker, as: "worker")
            try $0.add(idle, as: "idle")
        }
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: delegate, classes: ClassRegistry(),
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        _ = scene.preserve(PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "T"))
        commands = SceneCommandRunner(scene)
    }

    @Test func `an object describes its commands, and an object without commands lists none`()
        throws
    {
        let described = try commands.commands(at: "worker").commands
        #expect(
            described.map(\.signature) == [
                "drain()", "retry(job: int, reason: ?string) -> string",
                "total(numbers: []float) -> float", "count(words: [string]bool) -> int", "fail()",
            ])
        #expect(described[1].summary == "Begins a job again.")
        #expect(described[1].parameters.map(\.summary) == ["The job's number.", "Why."])
        #expect(try commands.commands(at: "idle").commands.isEmpty)
        let tree = commands.tree().objects
        #expect(tree.map(\.path) == ["worker", "idle"])
        #expect(tree[0].commands == described.map(\.signature))
        #expect(tree[1].commands == nil)
    }

    @Test func `a command receives typed arguments and returns its result`() throws {
        func result(_ name: String, _ arguments: [String: StateJSON]) throws -> StateJSON? {
            try commands.call(name, arguments, at: "worker").0
        }
        #expect(try result("drain", [:]) == nil)
        #expect(worker.isDraining)
        #expect(try result("retry", ["job": .integer(7)]) == .string("7 again"))
        #expect(
            try result("retry", ["job": .integer(7), "reason": .string("it hung")])
                == .string("7 again: it hung"))
        #expect(
            try result("total", ["numbers": .array([.integer(1), .double(0.5)])]) == .double(1.5))
        #expect(
            try result("count", ["words": .object(["a": .bool(true), "b": .bool(false)])])
                == .integer(1))
    }

    @Test func `a call that does not match a command is refused with a reason and changes nothing`()
        throws
    {
        func refusal(
            _ name: String, _ arguments: [String: StateJSON] = [:], at path: String = "worker"
        ) -> String? {
            do {
                _ = try commands.call(name, arguments, at: path)
                return nil
            } catch {
                return error.description
            }
        }
        let signature = "retry(job: int, reason: ?string) -> string"
        #expect(
            refusal("retry")
                == "The argument job of \(signature) of worker is wrong: it is missing.")
        #expect(
            refusal("retry", ["job": .string("7")])
                == "The argument job of \(signature) of worker is wrong: it must have the type "
                + "int."
        )
        #expect(
            refusal("retry", ["job": .integer(7), "jobs": .integer(8)])
                == "The argument jobs of \(signature) of worker is wrong: the command takes job, reason."
        )
        #expect(
            refusal("drain", ["job": .integer(7)])
                == "The argument job of drain() of worker is wrong: the command takes no arguments."
        )
        #expect(
            refusal("drains")
                == "worker has no command drains: its commands are drain(), \(signature), "
                + "total(numbers: []float) -> float, count(words: [string]bool) -> int, fail().")
        #expect(
            refusal("drain", at: "idle") == "idle has no command drain: it provides no commands.")
        #expect(
            refusal("drain", at: "nobody")
                == "There is no object at nobody: `reprisectl tree` shows all objects.")
        #expect(refusal("fail") == "worker did not carry out fail: it is broken")
        #expect(!worker.isDraining)
    }

    @Test func `P21: a command's change counts as lost if the object cannot be encoded`() throws {
        let (_, check) = try commands.call("drain", [:], at: "worker")
        #expect(commands.notSavedReason(check) == nil)
        worker.refuses = true
        let (_, lost) = try commands.call("drain", [:], at: "worker")
        #expect(
            commands.notSavedReason(lost)
                == "worker could not encode its state, and its last saved state is retained: it is "
                + "broken")
    }

    @Test
    func `P21: a command of an object that is not preserved loses only the values that it changed`()
        throws
    {
        let scene = try OperatedScene()
        scene.controller.view.addSubview(Meter())
        let path = "main/@Meter"
        let (_, unchanged) = try scene.commands.call("read", [:], at: path)
        #expect(scene.commands.notSavedReason(unchanged) == nil)
        let (_, changed) = try scene.commands.call("raise", [:], at: path)
        #expect(
            scene.commands.notSavedReason(changed)
                == "\(path) is not preserved: it has no restoration identifier")
    }

    @Test func `P21: the first value of an object that is not preserved counts as lost`() throws {
        let scene = try OperatedScene()
        let meter = Meter()
        meter.omitsZero = true
        scene.controller.view.addSubview(meter)
        let path = "main/@Meter"
        let (_, unchanged) = try scene.commands.call("read", [:], at: path)
        #expect(scene.commands.notSavedReason(unchanged) == nil)
        let (_, changed) = try scene.commands.call("raise", [:], at: path)
        #expect(
            scene.commands.notSavedReason(changed)
                == "\(path) is not preserved: it has no restoration identifier")
    }
}

private struct Broken: Error, CustomStringConvertible {
    let description = "it is broken"
}

private final class Worker: StateRestoring, CommandProviding {
    let restoration = RestorationNode()
    @Restorable("isDraining") var isDraining = false
    var refuses = false

    func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$isDraining) }

    func encodeRestorableState(with coder: StateEncoder) throws {
        if refuses { throw Broken() }
    }

    var commands: [ProvidedCommand] {
        [
            ProvidedCommand("drain", summary: "Takes no new jobs.") { [self] in isDraining.toggle()
            },
            ProvidedCommand(
                "retry", summary: "Begins a job again.",
                CommandParameter("job", summary: "The job's number.", Int.self),
                CommandParameter("reason", summary: "Why.", String?.self)
            ) { job, reason in
                "\(job) again\(reason.map { ": \($0)" } ?? "")"
            },
            ProvidedCommand(
                "total", summary: "Adds up.",
                CommandParameter("numbers", summary: "What to add.", [Double].self)
            ) { $0.reduce(0, +) },
            ProvidedCommand(
                "count", summary: "Counts.",
                CommandParameter("words", summary: "What is so.", [String: Bool].self)
            ) { words in words.values.count { $0 } },
            ProvidedCommand("fail", summary: "Fails.") { throw Broken() },
        ]
    }
}

private final class Idle: StateRestoring {
    let restoration = RestorationNode()
}

/// View with a value and commands.
private final class Meter: View, CommandProviding {
    /// Whether nothing is encoded while the level is 0.
    var omitsZero = false
    private var level = 0

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        if omitsZero, level == 0 { return }
        coder.encode(level, forKey: "level")
    }

    var commands: [ProvidedCommand] {
        [
            ProvidedCommand("read", summary: "Reads the level.") { [self] in level },
            ProvidedCommand("raise", summary: "Raises the level.") { [self] in
                level += 1
                restorableStateDidChange()
            },
        ]
    }
}
