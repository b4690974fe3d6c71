import RepriseControl
import Testing

@testable import reprisectl

/// List of the available keys in the terminal client.
@Suite struct KeyBindingsPanelTests {
    @Test func `all keys are listed, Space and Backspace scroll, and other keys close the list`()
        throws
    {
        let calls = try StubDaemon().calls()
        var panel = KeyBindingsPanel()
        let all = panel.lines(TerminalSession.Size(lines: 100, columns: 80)).map(\.text)
        #expect(all.count > 20)
        #expect(all.first == "  \("Tab, Shift-Tab".padded(23))focus the next, previous view")
        #expect(all.last == "  \("Ctrl-C, q".padded(23))exit (the scene continues to run)")
        let size = TerminalSession.Size(lines: 10, columns: 80)
        for _ in 0..<20 { #expect(panel.press(.text(" "), calls) == .stayOpen) }
        #expect(panel.lines(size).map(\.text) == Array(all.suffix(10)))
        #expect(panel.press(.backspace, calls) == .stayOpen)
        #expect(panel.lines(size).map(\.text) == Array(all.suffix(15)))
        #expect(panel.press(.text("x"), calls) == .close)
        #expect(panel.press(.down, calls) == .close)
    }
}
