//! Memory of the system for what is large and looked at anywhere.

use memmap2::MmapMut;

/// Words that begin as zero, in large pages where the system has them: a look at a place far from the last
/// then waits a third less, as the system's table of pages is the smaller.
#[derive(Debug)]
pub(crate) struct Pages {
    map: MmapMut,
    words: usize,
}

impl Pages {
    /// # Errors
    /// When the system has not so much memory to give.
    pub(crate) fn zeroed(words: usize) -> std::io::Result<Self> {
        // A map of nothing is no map.
        let map = MmapMut::map_anon(words.max(1) * size_of::<u16>())?;
        // Where large pages are not to be had, small ones serve.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map, words })
    }

    #[inline]
    pub(crate) fn words(&self) -> &[u16] {
        &bytemuck::cast_slice(&self.map)[..self.words]
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u16] {
        &mut bytemuck::cast_slice_mut(&mut self.map)[..self.words]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_as_zero_and_keep_what_is_written() {
        assert!(Pages::zeroed(0).expect("room for nothing").words().is_empty());
        let mut pages = Pages::zeroed(3_000_001).expect("room for 6 MB");
        assert!(pages.words().len() == 3_000_001 && pages.words().iter().all(|&word| word == 0));
        pages.words_mut().iter_mut().zip(0_u32..).for_each(|(word, i)| *word = i as u16);
        assert!(pages.words().iter().zip(0_u32..).all(|(&word, i)| word == i as u16));
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        assert!(Pages::zeroed(isize::MAX as usize / 4).is_err());
    }
}
