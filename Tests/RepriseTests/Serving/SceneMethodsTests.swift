import ControllerKit
import Preservation
import RepriseControl
import StateRestoration
import TestSupport
import Testing
import Varlink

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct SceneMethodsTests {
    private static func range(_ lowerBound: Int, _ upperBound: Int) -> TextRange {
        var range = TextRange(0..<0)
        (range.lowerBound, range.upperBound) = (lowerBound, upperBound)
        return range
    }

    /// Calls with inconsistent parameters, and the name of the invalid parameter.
    private static let wrong: [(any MethodCall, String)] = [
        (TypeCall(), "text"), (TypeCall.with { $0.append = false }, "text"),
        (TypeCall.with { $0.append = true }, "append"),
        (
            TypeCall.with {
                $0.append = true
                $0.select = Self.range(0, 1)
            }, "append"
        ),
        (
            TypeCall.with {
                $0.text = ""
                $0.select = Self.range(2, 1)
            }, "select"
        ),
        (TypeCall.with { $0.select = Self.range(2, 1) }, "select"),
        (SelectCall(), "indexes"),
        (
            SelectCall.with {
                $0.indexes = []
                $0.identifiers = []
            }, "identifiers"
        ),
        (EditTextCall(), "text"),
        (
            EditTextCall.with {
                $0.text = "a"
                $0.action = .moveLeft
            }, "action"
        ),
        (
            EditTextCall.with {
                $0.text = "a"
                $0.extend = true
            }, "extend"
        ),
        (
            EditTextCall.with {
                $0.action = .deleteBackward
                $0.extend = true
            }, "extend"
        ),
        (ZoomCall.with { $0.scale = 0 }, "scale"), (ZoomCall.with { $0.scale = -1 }, "scale"),
        (
            ShowCall.with {
                $0.saved = true
                $0.generation = "1"
            }, "generation"
        ),
        (
            ShowCall.with {
                $0.generation = "1"
                $0.quarantined = "1"
            }, "quarantined"
        ),
        (
            ShowCall.with {
                $0.saved = true
                $0.quarantined = "1"
            }, "quarantined"
        ),
    ]

    @Test func `parameters that conflict are refused by name`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            for (call, name) in Self.wrong {
                let error = await #expect(throws: VarlinkError.self) {
                    try await methods.call(call)
                }
                #expect(error == .invalidParameter(name), "\(call)")
            }
        }
    }

    @Test func `a call with valid parameters reaches the object`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            let right: [any MethodCall] = [
                TypeCall.with {
                    $0.path = "x"
                    $0.text = ""
                },
                TypeCall.with {
                    $0.path = "x"
                    $0.select = Self.range(1, 1)
                },
                TypeCall.with {
                    $0.path = "x"
                    $0.text = "a"
                    $0.append = true
                    $0.select = Self.range(0, 1)
                },
                SelectCall.with {
                    $0.path = "x"
                    $0.identifiers = []
                },
                SelectCall.with {
                    $0.path = "x"
                    $0.indexes = []
                },
                EditTextCall.with {
                    $0.path = "x"
                    $0.action = .moveLeft
                    $0.extend = true
                },
                EditTextCall.with {
                    $0.path = "x"
                    $0.action = .deleteBackward
                    $0.extend = false
                },
                EditTextCall.with {
                    $0.path = "x"
                    $0.text = "a"
                },
                ZoomCall.with {
                    $0.path = "x"
                    $0.scale = 0.1
                },
                ScrollCall.with { $0.path = "x" }, TapCall.with { $0.path = "x" },
                EditCall.with { $0.path = "x" }, MoveCall.with { $0.path = "x" },
                DeleteCall.with { $0.path = "x" }, LoadCall.with { $0.path = "x" },
                BackCall.with { $0.path = "x" }, ForwardCall.with { $0.path = "x" },
                GetCall.with { $0.path = "x" }, CommandsCall.with { $0.path = "x" },
                CallCall.with { $0.path = "x" }, ExplainCall.with { $0.path = "x" },
            ]
            for call in right {
                let error = await #expect(throws: VarlinkError.self) {
                    try await methods.call(call)
                }
                #expect(error?.name == "org.reprise.Control.NoSuchObject", "\(call)")
            }
        }
    }

    @Test func `a key that an object does not encode is refused`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            let call = GetCall.with {
                $0.path = "first"
                $0.key = "none"
            }
            let expected = ControlError.noSuchKey(path: "first", key: "none").varlinkError
            await #expect(throws: expected) { try await methods.call(call) }
        }
    }

    @Test func `a drawing is between one column and the maximum wide`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            func isAccepted(_ columns: Int) async throws -> Bool {
                do {
                    let reply = try await methods.call(AttachCall.with { $0.columns = columns })
                    #expect(reply.application == ReloadingHost.notes)
                    #expect(reply.scene == "main")
                    return true
                } catch let error as VarlinkError where error == .invalidParameter("columns") {
                    return false
                }
            }
            #expect(try await isAccepted(1))
            #expect(try await !isAccepted(0))
            #expect(try await !isAccepted(.max))
        }
    }

    @Test func `a client that only reads or observes does not launch a scene`() async throws {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            _ = try await methods.call(OpenCall.with { $0.name = "two" })
            _ = try await methods.call(CloseCall.with { $0.name = "two" })
            let attach = AttachCall.with {
                $0.columns = 40
                $0.scene = "two"
            }
            var observing = attach
            observing.observing = true
            let calls: [(any MethodCall, Access)] = [
                (observing, .all), (attach, .readOnly), (observing, .readOnly),
                (
                    DescribeCall.with {
                        $0.scene = "two"
                        $0.observing = true
                    }, .all
                ),
                (TreeCall.with { $0.scene = "two" }, .readOnly),
                (ShowCall.with { $0.scene = "two" }, .readOnly),
                (
                    GetCall.with {
                        $0.scene = "two"
                        $0.path = "first"
                    }, .readOnly
                ),
            ]
            for (call, access) in calls {
                let error = await #expect(throws: VarlinkError.self) {
                    try await methods.call(call, access: access)
                }
                #expect(error?.name == "org.reprise.Control.SceneNotLaunched", "\(call)")
            }
            #expect(try await methods.call(attach).scene == "two")
            #expect(try await methods.call(attach, access: .readOnly).scene == "two")
        }
    }

    @Test func `a client that follows an object does not launch the object's closed scene again`()
        async throws
    {
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            _ = try await methods.call(OpenCall.with { $0.name = "two" })
            let collected = CollectedReplies()
            let refusal = AwaitableState<VarlinkError?>(nil)
            let following = Task {
                do {
                    _ = try await methods.call(
                        GetCall.with {
                            $0.scene = "two"
                            $0.path = "first"
                        }, stream: collected.stream)
                } catch let error as VarlinkError {
                    refusal.change { $0 = error }
                }
            }
            defer { following.cancel() }
            await collected.replies.wait { !$0.isEmpty }
            _ = try await methods.call(CloseCall.with { $0.name = "two" })
            await refusal.wait { $0 != nil }
            #expect(refusal.state?.name == "org.reprise.Control.SceneNotLaunched")
        }
    }

    @Test func `the size of a drawn element is limited`() async throws {
        let (columns, lines) = (TextCanvas.maximumWidth, TextCanvas.maximumLines)
        let sizes = [
            (0, 1, false), (1, 0, false), (-1, 1, false), (columns + 1, 1, false),
            (1, lines + 1, false), (1, 1, true), (columns, lines, true),
        ]
        try await ReloadingHost.with { host in
            let methods = try ControlCaller(host.applications.applications)
            for (columns, lines, isValid) in sizes {
                let drawn = DrawnSize(columns: columns, lines: lines)
                let calls: [any MethodCall] = [
                    EditTextCall.with { ($0.path, $0.action, $0.drawn) = ("x", .moveLeft, drawn) },
                    ScrollCall.with { ($0.path, $0.drawn) = ("x", drawn) },
                ]
                for call in calls {
                    let error = await #expect(throws: VarlinkError.self) {
                        try await methods.call(call)
                    }
                    if isValid {
                        #expect(error?.name == "org.reprise.Control.NoSuchObject", "\(call)")
                    } else {
                        #expect(error == .invalidParameter("drawn"), "\(call)")
                    }
                }
            }
        }
    }

    private static let textField = """
        storyboard: Main
        bundleVersion: "3"
        initial: first
        controllers:
          first:
            class: ViewController
            restorationIdentifier: first
            views:
              name: { class: TextField, restorationIdentifier: name, preservesText: true }

        """

    @Test func `P9, P21: a text is reported as not saved each time it exceeds the limit`()
        async throws
    {
        let long = String(repeating: "x", count: ValueLimits().maximumBytes + 1)
        try await ReloadingHost.with(notes: Self.textField) { host in
            let methods = try ControlCaller(host.applications.applications)
            var areSaved: [Bool] = []
            for text in [long, "a", long] {
                let reply = try await methods.call(
                    TypeCall.with { ($0.path, $0.text) = ("first/name", text) })
                areSaved.append(reply.saved != .no)
            }
            #expect(areSaved == [false, true, false])
        }
    }
}
