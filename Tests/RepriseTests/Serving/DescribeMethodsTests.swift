import ControllerKit
import Preservation
import RepriseControl
import TestSupport
import Testing
import Varlink

@testable import Reprise

/// Elements with roles, and operations that are performed at most once.
@Suite(.timeLimit(.minutes(10))) struct DescribeMethodsTests {
    private static let storyboard = """
        storyboard: Main
        bundleVersion: "3"
        initial: first
        controllers:
          first:
            class: ViewController
            restorationIdentifier: first
            title: Form
            views:
              name: { class: TextField, restorationIdentifier: name, preservesText: true }
              secret: { class: SecureTextField, restorationIdentifier: secret }
              on: { class: Switch, restorationIdentifier: on }

        """

    private static let path = "first/name"

    private static func replacement(
        _ range: Range<Int>, _ text: String, of base: String, number: Int? = nil
    ) -> ReplaceTextCall {
        .with {
            ($0.path, $0.start, $0.end) = (path, range.lowerBound, range.upperBound)
            ($0.text, $0.base) = (text, TextDigest.digest(of: base))
            $0.operation = number.map { OperationIdentifier(client: "page", number: $0) }
        }
    }

    private static func text(_ methods: ControlCaller) async throws -> String? {
        let reply = try await methods.call(DescribeCall.with { $0.client = "page" })
        return reply.elements.first { $0.path == path }?.value
    }

    @Test func `a scene is described as elements with roles and paths`() async throws {
        try await ReloadingHost.with(notes: Self.storyboard) { host in
            let methods = try ControlCaller(host.applications.applications)
            _ = try await methods.call(
                TypeCall.with { ($0.path, $0.text) = ("first/secret", "hunter2") })
            let reply = try await methods.call(DescribeCall())
            #expect(reply.application == ReloadingHost.notes)
            #expect(reply.elements.first?.key == reply.root)
            #expect(reply.elements.first?.label == "Form")
            #expect(reply.elements.map(\.role) == [.group, .textbox, .textbox, .switch])
            #expect(
                reply.elements.dropFirst().map(\.path) == [
                    "first/name", "first/secret", "first/on",
                ])
            #expect(reply.elements.first?.children == reply.elements.dropFirst().map(\.key))
            #expect(reply.elements[2].secret == true)
            #expect(reply.elements[2].value == nil)
            #expect(reply.performed == nil)
            let json = String(decoding: try JSONText.write(reply), as: UTF8.self)
            #expect(!json.contains("hunter2"))
        }
    }

    @Test func `a client without earlier elements receives all, and later only changes`() {
        func element(_ key: String, _ value: String) -> Element {
            .with { ($0.key, $0.value) = (key, value) }
        }
        let before = SceneElements(
            scene: "main", elements: [element("root", ""), element("a", "1"), element("b", "1")],
            lastOperationNumber: 1)
        let after = SceneElements(
            scene: "main", elements: [element("root", ""), element("a", "2"), element("c", "1")],
            lastOperationNumber: 2)
        #expect(before.changes(since: nil).elements.map(\.key) == ["root", "a", "b"])
        #expect(after.changes(since: before).elements.map(\.key) == ["a", "c"])
        #expect(after.changes(since: before).removed == ["b"])
        #expect(after.changes(since: before).performed == 2)
    }

    @Test func `an operation with a number is performed once`() async throws {
        try await ReloadingHost.with(notes: Self.storyboard) { host in
            let methods = try ControlCaller(host.applications.applications)
            let first = Self.replacement(0..<0, "é👍🏽", of: "", number: 1)
            for _ in 0..<2 {
                let reply = try await methods.call(first)
                #expect(reply.saved != .no)
            }
            // A thumb consists of two scalars.
            _ = try await methods.call(Self.replacement(1..<3, "x", of: "é👍🏽", number: 2))
            #expect(try await Self.text(methods) == "éx")
            _ = try await methods.call(first)
            #expect(try await Self.text(methods) == "éx")
            let tap = TapCall.with {
                $0.path = "first/on"
                $0.operation = OperationIdentifier(client: "page", number: 3)
            }
            for _ in 0..<3 { _ = try await methods.call(tap) }
            let elements = try await methods.call(DescribeCall.with { $0.client = "page" })
            #expect(elements.elements.first { $0.path == "first/on" }?.selected == true)
            #expect(elements.performed == 3)
        }
    }

    @Test func `an operation is not performed again by a scene that is launched from saved state`()
        async throws
    {
        try await ReloadingHost.with(notes: Self.storyboard) { host in
            let methods = try ControlCaller(host.applications.applications)
            let call = Self.replacement(0..<0, "a", of: "", number: 5)
            _ = try await methods.call(call)
            _ = try await methods.call(ResetCall.with { $0.toSaved = true })
            _ = try await methods.call(call)
            #expect(try await Self.text(methods) == "a")
            _ = try await methods.call(Self.replacement(1..<1, "b", of: "a", number: 6))
            #expect(try await Self.text(methods) == "ab")
        }
    }

    @Test func `an edit of another text is refused with the current text, and can be repeated`()
        async throws
    {
        try await ReloadingHost.with(notes: Self.storyboard) { host in
            let methods = try ControlCaller(host.applications.applications)
            _ = try await methods.call(
                TypeCall.with { ($0.path, $0.text) = (Self.path, "theirs") })
            let error = await #expect(throws: VarlinkError.self) {
                _ = try await methods.call(Self.replacement(0..<0, "mine", of: "", number: 1))
            }
            #expect(
                try ControlError(#require(error)) == .textChanged(path: Self.path, text: "theirs"))
            _ = try await methods.call(Self.replacement(6..<6, "mine", of: "theirs", number: 1))
            #expect(try await Self.text(methods) == "theirsmine")
        }
    }

    @Test func `parameters that are not valid are refused by name`() async throws {
        try await ReloadingHost.with(notes: Self.storyboard) { host in
            let methods = try ControlCaller(host.applications.applications)
            func operation(_ client: String, _ number: Int) -> TapCall {
                .with { $0.operation = OperationIdentifier(client: client, number: number) }
            }
            let wrong: [(any MethodCall, String)] = [
                (operation("", 1), "operation"), (operation("a", 0), "operation"),
                (operation("a b", 1), "operation"), (operation("é", 1), "operation"),
                (operation(String(repeating: "a", count: 65), 1), "operation"),
                (DescribeCall.with { $0.rows = 0 }, "rows"),
                (DescribeCall.with { $0.rows = 1001 }, "rows"),
                (DescribeCall.with { $0.client = "" }, "client"),
                (Self.replacement(0..<1, "", of: ""), "end"),
                (ReplaceTextCall.with { ($0.start, $0.end) = (-1, 0) }, "end"),
                (ReplaceTextCall.with { ($0.start, $0.end) = (1, 0) }, "end"),
                (ReplaceTextCall.with { ($0.start, $0.end) = (.min, .max) }, "end"),
            ]
            for (call, name) in wrong {
                let error = await #expect(throws: VarlinkError.self) {
                    try await methods.call(call)
                }
                #expect(error == .invalidParameter(name), "\(call)")
            }
        }
    }

    /// View with several elements that differ only in their texts.
    private final class Lines: View {
        override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
            let labels = ["a", "b", String(repeating: "é", count: 40_000)]
            return labels.map { label in
                var element = AccessibilityElement(.text, label: label, target: self)
                element.placeholder = label
                return element
            }
        }
    }

    @Test func `elements have different keys, and labels and placeholders are limited`() throws {
        let scene = try OperatedScene()
        scene.controller.view.addSubview(Lines())
        let elements = scene.commands.elements(maximumRows: 1, client: nil).elements
        #expect(Set(elements.map(\.key)).count == elements.count)
        let limited = String(repeating: "é", count: 32_768)
        #expect(elements.map(\.label).suffix(3) == ["a", "b", limited])
        #expect(elements.map(\.placeholder).suffix(3) == ["a", "b", limited])
    }

    @Test func `a digest consists of the length and a hash of the bytes`() {
        #expect(TextDigest.digest(of: "") == "0-811c9dc5")
        #expect(TextDigest.digest(of: "a") == "1-e40c292c")
        #expect(TextDigest.digest(of: "foobar") == "6-bf9cf968")
    }

    @Test func `every removed element is listed`() {
        func elements(_ keys: [String]) -> SceneElements {
            SceneElements(
                scene: "main", elements: keys.map { key in Element.with { $0.key = key } },
                lastOperationNumber: nil)
        }
        let changes = elements(["root", "c"]).changes(since: elements(["root", "b", "c", "a"]))
        #expect(changes.removed == ["a", "b"])
        #expect(changes.elements.isEmpty)
    }

    @Test func `the key of an element depends on its path, and its label on its name`() async throws
    {
        try await ReloadingHost.with(notes: Self.storyboard) { host in
            let methods = try ControlCaller(host.applications.applications)
            let elements = try await methods.call(DescribeCall()).elements
            #expect(
                elements.map(\.key) == [
                    "//group/0", "first/name//textbox", "first/secret//textbox",
                    "first/on//switch",
                ])
            #expect(elements.prefix(3).map(\.label) == ["Form", "name", "secret"])
            #expect(elements.prefix(3).map(\.actions) == [[], [.replaceText], [.type]])
        }
    }

    /// View whose accessibility elements a test provides.
    private final class Described: View {
        var makeElements: (View) -> [AccessibilityElement] = { _ in [] }

        override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
            makeElements(self)
        }
    }

    /// Returns the descriptions of a view's elements, which have no children.
    private func describe(
        _ makeElements: @escaping (View) -> [AccessibilityElement]
    ) throws -> [Element] {
        let (scene, view) = (try OperatedScene(), Described())
        view.makeElements = makeElements
        scene.controller.view.addSubview(view)
        let elements = scene.commands.elements(maximumRows: 1, client: nil).elements
        return Array(elements.suffix(makeElements(view).count))
    }

    @Test func `a text can be edited only if the client receives the whole text`() throws {
        let limit = AccessibilityElement.maximumValueBytes
        let elements = try describe { view in
            let texts = [("a", limit, true), ("a", limit + 1, true), ("€", limit, true)]
            return (texts + [("a", 1, false)]).map { text, count, isEditable in
                var element = AccessibilityElement(.textbox, target: view)
                element.value = String(repeating: text, count: count)
                element.text = AccessibilityText()
                element.text?.isEditable = isEditable
                return element
            }
        }
        #expect(elements.map(\.editable) == [true, false, false, false])
        #expect(elements.map { $0.value?.utf8.count } == [limit, limit, limit / 3 * 3, 1])
    }

    @Test func `all actions of an element are listed if the element has a path`() throws {
        let elements = try describe { view in
            [view, nil].map { target in
                var element = AccessibilityElement(.button, label: "a", target: target)
                element.actions = [.tap, .select, .delete]
                return element
            }
        }
        #expect(elements.map(\.actions) == [[.tap, .select, .delete], []])
    }

    @Test func `a presented controller is a dialog that can be dismissed`() throws {
        let scene = try OperatedScene()
        scene.controller.present(ViewController())
        let dialog = scene.commands.elements(maximumRows: 1, client: nil).elements.first
        #expect(dialog?.role == .dialog && dialog?.path == nil)
        #expect(dialog?.actions == [.dismiss])
    }
}
