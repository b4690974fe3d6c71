import ControllerKit
import FoundationEssentials
import Testing

@testable import SampleApplications

@Suite struct PicturesTests {
    /// Returns the pixels of a picture, line by line, as digits from 0 (black) to 7 (white).
    private func shades(_ picture: Image?) throws -> [String] {
        let picture = try #require(picture)
        let pixels = picture.data.suffix(picture.width * picture.height).map { "\($0 / 32)" }
        return (0..<picture.height).map { line in
            pixels[line * picture.width..<(line + 1) * picture.width].joined()
        }
    }

    @Test func `the hills are below the moon`() throws {
        #expect(
            try shades(Pictures.hills) == [
                "000000000000000000000000007777700000", "000000000000000000000000007777700000",
                "000000000000000000000000007777700000", "000000022222000000000000022222000000",
                "000022222222222000000022222222222000", "444442222222224444422222222244444222",
                "444444442224444444444422244444444444", "666666666666666666666666666666666666",
            ])
    }

    @Test func `the sun is in the middle of its halo`() throws {
        #expect(
            try shades(Pictures.sun) == [
                "000000000123455666666655432100000000", "000000001234566777777766543210000000",
                "000000001234566777777766543210000000", "000000000123455666666655432100000000",
            ])
    }
}
