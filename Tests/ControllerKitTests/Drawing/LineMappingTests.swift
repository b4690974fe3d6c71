import Testing

@testable import ControllerKit

/// Tests the mapping between the lines of a text at two widths.
@Suite struct LineMappingTests {
    private static let texts = [
        "", "word", "\n\n", String(repeating: "some words of a text ", count: 40),
        String(repeating: "x", count: 300),
        "日本語 e\u{301}\n👨‍👩‍👧 \n" + String(repeating: "ab ", count: 90),
    ]

    @Test(arguments: texts)
    func `each line of a drawing has a position that leads back to this line`(_ text: String) {
        for (ownWidth, drawnWidth) in [(34, 76), (34, 5), (8, 8), (1, 200), (200, 1)] {
            let mapping = LineMapping(
                viewLayout: TextLayout(text, width: ownWidth),
                drawnLayout: TextLayout(text, width: drawnWidth))
            var previousPosition = -1.0
            for line in mapping.drawnLayout.lines.indices {
                let position = mapping.viewPosition(ofDrawnLine: line)
                #expect(mapping.drawnLine(at: position) == line)
                #expect(position > previousPosition)
                previousPosition = position
            }
            #expect(previousPosition < Double(mapping.viewLayout.lines.count))
        }
    }

    @Test func `a line shows the text at the same position`() {
        let mapping = LineMapping(
            viewLayout: TextLayout("one two three four", width: 4),
            drawnLayout: TextLayout("one two three four", width: 8))
        #expect(mapping.drawnLayout.lines.count == 3)
        #expect((0..<4).map { mapping.drawnLine(at: Double($0)) } == [0, 0, 1, 1])
        #expect(mapping.drawnLine(at: 4) == 2)
        #expect(mapping.viewPosition(ofDrawnLine: 1) == 2)
    }

    @Test(arguments: [-1e300, -1, .nan, 1e300, .infinity])
    func `a position or a line outside the text leads to its first or last line`(
        _ position: Double
    ) {
        let mapping = LineMapping(
            viewLayout: TextLayout("a\nb\nc", width: 4),
            drawnLayout: TextLayout("a\nb\nc", width: 9)
        )
        #expect(mapping.drawnLine(at: position) == (position > 0 ? 2 : 0))
        #expect(mapping.viewPosition(ofDrawnLine: .min) == 0)
        #expect(mapping.viewPosition(ofDrawnLine: .max) == 2)
    }
}
