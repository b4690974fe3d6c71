import Testing

@testable import reprisectl

/// Session on the terminal. Signals and settings of the terminal are tested in ``AttachClientTests``.
@Suite struct TerminalSessionTests {
    @Test(arguments: [
        (24, 80, 23, 80), (2, 1, 1, 1), (1, 1, 1, 1), (0, 0, 1, 1), (4097, 4096, 4096, 4096),
        (5000, 5000, 4096, 4096),
    ])
    func `a rendering leaves a line for the bar, and has from 1 to 4096 lines and columns`(
        lines: Int, columns: Int, renderedLines: Int, renderedColumns: Int
    ) {
        let size = TerminalSession.Size(lines: lines, columns: columns).renderingSize
        #expect(size.lines == renderedLines)
        #expect(size.columns == renderedColumns)
    }
}
